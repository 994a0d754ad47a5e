// Runs before anything is drawn, while the modules are on their way. No module itself: it must not wait.
{
  const page = document.documentElement
  const recall = (name: string): string | null => {
    try {
      return localStorage.getItem(`postern.${name}`)
    } catch {
      return null
    }
  }
  // Nobody who chose the dark is shown the light first.
  const chosen = recall('theme')
  if (chosen === 'light' || chosen === 'dark') page.dataset.theme = chosen

  // What the first screen will ask for: who sits here, the token, and with it what the server names in the page.
  const asked = new Map<string, Promise<Response>>()
  const ask = (path: string, authorization?: Promise<string>): Promise<Response> => {
    const url = `${location.origin}${page.dataset.root}${path}`
    const call = (more: Record<string, string>) =>
      fetch(url, { headers: { accept: 'application/json', ...more }, redirect: 'manual' })
    const answer =
      authorization === undefined ? call({}) : authorization.then((one) => call({ authorization: one }))
    // Whoever takes it makes the call again; nobody may.
    answer.catch(() => {})
    asked.set(url, answer)
    return answer
  }
  const [organization] = /(?<=\/console\/)org_[\w-]+/.exec(location.pathname) ?? []
  ask('/v1/auth/session')
  if (organization !== undefined) {
    const token = ask(`/v1/auth/token?organizationId=${organization}`).then(async (answer) => {
      if (!answer.ok) throw answer
      return `Bearer ${(await answer.clone().json()).token}`
    })
    token.catch(() => {})
    // Filters in the address make it another list.
    if (location.search === '') for (const path of page.dataset.first?.split(' ') ?? []) ask(path, token)
  }
  Object.assign(globalThis, { posternAsked: asked })
}
