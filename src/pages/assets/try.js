// Makes the calls of the reference, with the session of the browser.

import { at, get } from './api.js'
import { indent } from './indent.js'
import { dialogAsks, keepOrganization, lastOrganization } from './try-who.js'

/** Characters of a body that are shown. The whole body can be saved. */
const MOST_SHOWN = 1_000_000
/** Milliseconds between two drawings of a body that is still arriving. */
const PACE_MS = 100
/** Types of bodies that are shown as text. */
const TEXT = /^text\/|[/+](json|xml|yaml)\b|javascript/

let session

/** The session of the browser, read once; undefined without one. */
function whoIsIn() {
  session ??= get('/v1/auth/session').then(
    ({ user }) => user,
    () => undefined,
  )
  return session
}

/** Whether the session still belongs to the account that the forms name. Another tab may have changed it. */
async function isSame() {
  const [named, user] = await Promise.all([
    whoIsIn(),
    get('/v1/auth/session').then(
      (now) => now.user,
      () => {},
    ),
  ])
  return user === undefined || user.email === named.email
}

for (const details of document.querySelectorAll('details.try')) {
  const form = details.querySelector('form')
  details.addEventListener('toggle', () => details.open && prepare(form), { once: true })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    send(form, details.querySelector('.answer'))
  })
}

/** Shows the account and organization of the calls, and enables the forms. */
async function prepare(form) {
  const { access } = form.dataset
  const place = form.querySelector('.try-who')
  const button = form.querySelector('.primary')
  place.hidden = false
  if (access === 'public') place.textContent = 'Public: no credentials are sent.'
  else if (access === 'operator' || access === 'installation') place.replaceChildren(...tokenField(form))
  else {
    const user = await whoIsIn()
    if (user === undefined) return place.replaceChildren(...signInWords())
    place.replaceChildren(...whoWords(form, user))
  }
  button.disabled = false
}

function signInWords() {
  const link = document.createElement('a')
  const back = location.pathname + location.hash
  link.href = at(`/sign-in?${new URLSearchParams({ back })}`)
  link.textContent = 'Sign in'
  return [link, ' to make this call: it takes your session.']
}

function whoWords(form, { email, organizations }) {
  if (form.dataset.access === 'session') return [`As ${email}, by the session.`]
  const select = document.createElement('select')
  const last = lastOrganization()
  select.className = 'try-organization'
  select.setAttribute('aria-label', 'Organization')
  // Organizations without access come last.
  for (const { id, name, status } of organizations.toSorted((a, b) => a.status.localeCompare(b.status))) {
    const option = new Option(status === 'disabled' ? `${name} (disabled)` : name, id)
    option.selected = id === last
    select.append(option)
  }
  select.addEventListener('change', () => keepOrganization(select.value))
  return [`As ${email}, in `, select]
}

function tokenField(form) {
  const label = document.createElement('label')
  const input = document.createElement('input')
  const variable = form.dataset.access === 'installation' ? 'OPERATOR_TOKEN' : 'METRICS_TOKEN'
  label.append(`${variable}, which is not stored`)
  input.type = 'password'
  input.autocomplete = 'off'
  input.className = 'try-token'
  label.append(input)
  return [label]
}

/** The header `Authorization` of the call; undefined without one. */
async function authorizationOf(form) {
  const { access } = form.dataset
  if (access === 'public' || access === 'session') return undefined
  const typed = form.querySelector('.try-token')
  if (typed !== null) return typed.value === '' ? undefined : `Bearer ${typed.value}`
  const organizationId = form.querySelector('.try-organization').value
  const { token } = await get('/v1/auth/token', { organizationId })
  return `Bearer ${token}`
}

/** The request by the values of the fields. */
function requestOf(form) {
  const { method, path } = form.dataset
  const query = new URLSearchParams()
  const headers = new Headers()
  let [filled, body] = [path, undefined]
  for (const input of form.querySelectorAll('[data-in]')) {
    const { name, value } = input
    const place = input.dataset.in
    if (place === 'body') {
      body = input.type === 'file' ? input.files[0] : value
      headers.set(
        'content-type',
        body?.type || (input.type === 'file' ? 'application/octet-stream' : input.dataset.type),
      )
    } else if (value === '') continue
    else if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value))
    else if (place === 'query') query.append(name, value)
    else headers.set(name, value)
  }
  const search = query.size === 0 ? '' : `?${query}`
  // Only operations by session get the cookie.
  const credentials = form.dataset.access === 'session' ? 'same-origin' : 'omit'
  const init = { method, headers, body, credentials, cache: 'no-store', redirect: 'manual' }
  return { url: at(filled + search), init }
}

async function send(form, answer) {
  const { url, init } = requestOf(form)
  const isNamed = form.querySelector('.try-token') === null && form.dataset.access !== 'public'
  if (isNamed && !(await isSame())) return say(answer, 'Somebody else has signed in. Reload the page.')
  const organization = form.querySelector('.try-organization')?.selectedOptions[0]?.text
  if ('asks' in form.dataset && !(await dialogAsks(form.dataset.name, init.method, url, organization))) return
  const [button, stop] = [form.querySelector('.primary'), form.querySelector('[data-stop]')]
  const cut = new AbortController()
  stop.onclick = () => cut.abort()
  button.disabled = true
  answer.ariaBusy = 'true'
  stop.hidden = false
  try {
    const authorization = await authorizationOf(form)
    if (authorization !== undefined) init.headers.set('authorization', authorization)
    await show(answer, url, { ...init, signal: cut.signal })
  } catch (error) {
    say(answer, cut.signal.aborted ? 'Cancelled.' : wordsOf(error))
  } finally {
    button.disabled = false
    answer.ariaBusy = 'false'
    stop.hidden = true
  }
}

/** Why a call was not sent, or got no response. */
function wordsOf({ code, message, details }) {
  if (details?.reason === 'organization_disabled')
    return 'That organization is disabled. The operator of this server can enable it.'
  return `No response: ${code ?? message}`
}

function say(answer, words) {
  answer.hidden = false
  answer.querySelector('[role="status"]').textContent = words
}

/** Makes the call, and shows the whole response while it arrives. */
async function show(answer, url, init) {
  const [headers, body] = answer.querySelectorAll('pre code')
  const save = answer.querySelector('[data-save]')
  headers.textContent = body.textContent = ''
  save.hidden = true
  say(answer, 'Waiting for the response…')
  const began = performance.now()
  const response = await fetch(url, init)
  if (response.type === 'opaqueredirect') return say(answer, 'It redirects to another address.')
  const words = (size) =>
    `${response.status} ${response.statusText}, ${Math.round(performance.now() - began)} ms, ${size.toLocaleString('en')} bytes`
  headers.textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  answer.querySelector('details').open = true
  const type = response.headers.get('content-type') ?? ''
  const chunks = await read(response, (chunks, size) => {
    say(answer, `${words(size)} so far`)
    body.textContent = textOf(chunks, type)
  })
  const size = chunks.reduce((sum, { length }) => sum + length, 0)
  say(answer, words(size))
  body.textContent = indent(textOf(chunks, type), type)
  save.hidden = size === 0
  save.onclick = () => saveAs(new Blob(chunks, { type }), nameOf(response, url))
}

/** Reads the chunks of a body. @param tell is called with the chunks so far, not later than a pace after the newest has come */
async function read(response, tell) {
  const chunks = []
  let [size, due] = [0]
  const draw = () => {
    due = undefined
    tell(chunks, size)
  }
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk)
      size += chunk.length
      // biome-ignore lint/style/noRestrictedGlobals: a page has no clock of the server.
      due ??= setTimeout(draw, PACE_MS)
    }
  } finally {
    clearTimeout(due)
  }
  return chunks
}

function textOf(chunks, type) {
  if (chunks.length === 0) return ''
  if (!TEXT.test(type)) return `The body is not text (${type || 'no type'}). Save it to open it.`
  const decoder = new TextDecoder()
  let text = ''
  for (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MOST_SHOWN) return `${text.slice(0, MOST_SHOWN)}\n… Save the body to see the rest.`
  }
  return text + decoder.decode()
}

function nameOf(response, url) {
  const named = /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1]
  return named ?? (url.split('?')[0].split('/').at(-1) || 'answer')
}

function saveAs(blob, name) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
