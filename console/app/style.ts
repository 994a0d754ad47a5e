let loading: Promise<void> | undefined

/**
 * Loads the style of the screens and parts that are not of the first screen, once: a page that begins with that screen comes without it,
 * every other one with all. What is not there after a failure is tried again by the next call.
 */
export function wholeStyle(): Promise<void> {
  loading ??= new Promise((done) => {
    const first = document.querySelector<HTMLLinkElement>('link[href$="/first.css"]')
    if (first === null) return done()
    const rest = document.createElement('link')
    rest.rel = 'stylesheet'
    rest.href = first.href.replace(/first\.css$/, 'rest.css')
    rest.onload = () => done()
    rest.onerror = () => {
      rest.remove()
      loading = undefined
      done()
    }
    first.after(rest)
  })
  return loading
}
