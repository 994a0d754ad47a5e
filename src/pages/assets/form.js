import { at, post, Refusal } from './api.js'
import { explain, says, wordsForField } from './words.js'

/**
 * Handles the sending of a form: `work` gets the typed values and may throw a Refusal, which is explained at
 * the form. Further presses while a request is under way send nothing.
 * @param {object} words the form's own sentences by code
 */
export function handle(id, work, words = {}) {
  const form = document.getElementById(id)
  const button = form.querySelector('button.primary')
  const label = button.textContent
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (form.ariaBusy === 'true') return
    clear(form)
    const unfinished = inputsOf(form).filter(isUnfinished)
    if (unfinished.length > 0) {
      const fields = unfinished.map(({ name }) => ({ field: name, words: wordsForField(name) }))
      return tell(form, { fields })
    }
    form.ariaBusy = 'true'
    button.textContent = says.oneMoment
    try {
      await work(valuesOf(form))
    } catch (thrown) {
      if (isFactorAsked(thrown)) return askForFactor()
      const names = inputsOf(form).map(({ name }) => name)
      tell(form, explain(toRefusal(thrown), names, words))
    } finally {
      form.ariaBusy = 'false'
      button.textContent = label
    }
  })
  for (const reveal of form.querySelectorAll('.reveal')) reveal.addEventListener('click', toggle)
  form.querySelector('fieldset').disabled = false
}

/** Whether a sign-in waits for a second factor; the page of the sign-in asks for it. */
export function isFactorAsked({ details }) {
  return details?.reason === 'second_factor_required'
}

function askForFactor() {
  location.assign(at('/sign-in#second-factor'))
}

/** Lets the providers' buttons be pressed. */
export function handleProviders(more = {}) {
  for (const button of document.querySelectorAll('[data-provider]')) {
    button.addEventListener('click', async () => {
      const problem = document.getElementById('provider-problem')
      problem.hidden = true
      const back = new URL(at('/sign-in'), location.origin).href
      try {
        const { authUrl } = await post('/v1/auth/sign-in/social', {
          provider: button.dataset.provider,
          callbackURL: `${back}?done`,
          errorCallbackURL: back,
          ...more,
        })
        location.assign(authUrl)
      } catch (thrown) {
        say(problem, explain(toRefusal(thrown), []).sentence)
      }
    })
  }
}

/** Lets a signed-in person leave. */
export function handleSignOut() {
  handle('sign-out', async () => {
    const { redirectTo } = await post('/v1/auth/sign-out')
    location.assign(redirectTo ?? at('/sign-in'))
  })
}

/** Says a sentence above a form. */
export function complain(id, sentence) {
  say(document.getElementById(id).querySelector('.problem'), sentence)
}

/** A defect of the page is shown like a failure of the server, and logged in the browser's console. */
function toRefusal(thrown) {
  if (thrown instanceof Refusal) return thrown
  reportError(thrown)
  return new Refusal({ code: 'UNKNOWN' })
}

function inputsOf(form) {
  return [...form.querySelectorAll('input, textarea')]
}

function valuesOf(form) {
  return Object.fromEntries(
    inputsOf(form).map(({ name, type, value, checked }) => [name, type === 'checkbox' ? checked : value]),
  )
}

/** Finds values that are too long for the API, before the request counts as a try. */
function isUnfinished({ type, autocomplete, value, checked, required }) {
  if (type === 'checkbox') return required && !checked
  if (value.trim() === '') return true
  return autocomplete === 'new-password' && [...value.normalize('NFKC')].length < 8
}

function clear(form) {
  form.querySelector('.problem').hidden = true
  for (const place of form.querySelectorAll('.error')) place.textContent = ''
  for (const input of inputsOf(form)) input.removeAttribute('aria-invalid')
}

/** Each problem at its field, and all of them above the form, where focus goes. */
function tell(form, { fields, sentence }) {
  for (const { field, words } of fields) {
    const input = form.querySelector(`[name="${field}"]`)
    input.setAttribute('aria-invalid', 'true')
    document.getElementById(`${input.id}-error`).textContent = words
  }
  const links = fields.map(({ field, words }) => linkTo(form.querySelector(`[name="${field}"]`), words))
  say(form.querySelector('.problem'), sentence ?? says.pleaseCheck, links)
}

function say(problem, sentence, links = []) {
  const list = document.createElement('ul')
  list.append(...links)
  problem.replaceChildren(sentence, ...(links.length > 0 ? [list] : []))
  problem.hidden = false
  problem.focus()
}

function linkTo(input, words) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = `#${input.id}`
  link.textContent = words
  link.addEventListener('click', (event) => {
    event.preventDefault()
    input.focus()
  })
  item.append(link)
  return item
}

function toggle({ currentTarget: button }) {
  const input = document.getElementById(button.getAttribute('aria-controls'))
  const isShown = input.type === 'password'
  input.type = isShown ? 'text' : 'password'
  button.setAttribute('aria-pressed', String(isShown))
}
