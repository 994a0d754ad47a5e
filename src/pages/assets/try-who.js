// The organization of calls from the reference, and the confirmation of dangerous ones.

const KEPT = 'postern.organization'

/** The organization that the person used last, here or in the console. */
export function lastOrganization() {
  try {
    return localStorage.getItem(KEPT)
  } catch {
    return null
  }
}

export function keepOrganization(id) {
  try {
    localStorage.setItem(KEPT, id)
  } catch {
    // It holds for this page.
  }
}

/** Asks for confirmation before a call that cannot be undone. @returns the answer */
export function dialogAsks(name, method, url, organization) {
  const dialog = document.getElementById('try-confirm')
  const [heading, words] = dialog.querySelectorAll('h2, p')
  heading.textContent = `${name}?`
  words.textContent = `${method} ${url} is sent${organization === undefined ? '' : ` for ${organization}`}, for real: it may not be taken back.`
  dialog.returnValue = ''
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true })
  })
}
