// Stands in the page itself, and runs before anything is drawn, while the modules are on their way.
{
  const page = document.documentElement
  const recall = (name: string): string | null => {
    try {
      return localStorage.getItem(`postern.${name}`)
    } catch {
      return null
    }
  }
  // Sets the theme before the first paint, so that a dark page does not flash light.
  const chosen = recall('theme')
  if (chosen === 'light' || chosen === 'dark') page.dataset.theme = chosen

  // The requests of the first screen: the session, the token, and with it the calls that the server names in the page.
  const asked = new Map<string, Promise<Response>>()
  const ask = (path: string, authorization?: Promise<string>): Promise<Response> => {
    const url = `${location.origin}${page.dataset.root}${path}`
    // Letter by letter as the page asks for it already.
    const answer =
      authorization === undefined
        ? fetch(url)
        : authorization.then((one) => fetch(url, { headers: { authorization: one } }))
    // Without this handler a failure that no module takes would be an unhandled rejection. The module repeats the call.
    answer.catch(() => {})
    asked.set(url, answer)
    return answer
  }
  const [organization] = /(?<=\/console\/)org_[\w-]+/.exec(location.pathname) ?? []
  ask('/v1/auth/session')
  if (organization !== undefined) {
    const token = ask(`/v1/auth/token?organizationId=${organization}`).then(async (answer) => {
      if (!answer.ok) throw answer
      return String((await answer.clone().json()).token)
    })
    token.catch(() => {})
    // Filters in the address make it another list.
    for (const call of location.search === '' ? (page.dataset.first?.split(' ') ?? []) : []) {
      const at = call.indexOf('/')
      const permitted = token.then((one) => {
        const [, said = ''] = one.split('.')
        // What the role does not permit is not asked for.
        if (!atob(said.replaceAll('-', '+').replaceAll('_', '/')).includes(`"${call.slice(0, at)}"`))
          throw one
        return `Bearer ${one}`
      })
      ask(call.slice(at), permitted)
    }
  }
  Object.assign(globalThis, { posternAsked: asked })

  // The first use of `Intl` takes a phone some 60 ms. It is made now, while the modules are on their way.
  globalThis.requestIdleCallback?.(() => {
    new Intl.NumberFormat('en-GB')
    new Intl.DateTimeFormat('en-GB')
    new Intl.RelativeTimeFormat('en-GB')
  })
}
