import { call, get, isDeadLink, post } from './api.js'
import { complain, handle } from './form.js'
import { show } from './steps.js'
import { explain, fill, says } from './words.js'

const { setUp: words } = says
/** The names of the stages in their order; a link has some of them. */
const STAGES = ['domains', 'provider', 'directory']
/** Steps that belong to a stage. */
const STAGE_OF = { oidc: 'provider', saml: 'provider' }
/** A token is no name of a step. It stays in the address until it was used, in case the page is loaded again. */
const token = /^#([\w-]{43})$/.exec(location.hash)?.[1]
/** The setup as the server last told. */
let setup
/** The key that was just made; it is shown once. */
let key

handle('open-setup', async () => {
  try {
    setup = await post('/v1/setup/open', { token })
    go(stages()[0] ?? 'finish')
  } catch (refusal) {
    if (!isDeadLink(refusal)) throw refusal
    show(refusal.details.reason === 'opened_elsewhere' ? 'elsewhere' : 'dead')
  }
})
handle('check-domain', async ({ name }) => {
  await check(name)
  document.getElementById('check-domain-name').value = ''
})
handle('enter-oidc', (typed) => enter('oidc', typed))
handle('enter-saml', (typed) => enter('saml', typed))
handle('test-provider', async () => {
  const { authUrl } = await post('/v1/setup/identity-provider/test')
  location.assign(authUrl)
})
handle('make-key', async () => {
  key = (await post('/v1/setup/directory')).key
  setup = await get('/v1/setup')
  fillIn('directory')
})
handle('finish-setup', async () => {
  await post('/v1/setup/finish')
  show('finished')
})
for (const name of STAGES)
  handle(`leave-${name}`, async () => go(stages()[stages().indexOf(name) + 1] ?? 'finish'))
handle('retry', open)
window.addEventListener('hashchange', () => {
  if (setup !== undefined) go(location.hash.slice(1))
})
if (token === undefined) await open().catch(trouble)
else show('open')

/** Shows a setup that this browser opened before. */
async function open() {
  setup = await get('/v1/setup')
  go(location.hash.slice(1))
}

function trouble(refusal) {
  if (refusal.code === 'UNAUTHORIZED') return show('dead')
  show('trouble')
  complain('retry', explain(refusal, []).sentence)
}

function stages() {
  return STAGES.filter((name) => setup.purposes.includes(name))
}

/** Goes to a step of the link; any other name leads to its first. */
function go(wanted) {
  const name = [...stages(), 'finish'].includes(STAGE_OF[wanted] ?? wanted)
    ? wanted
    : (stages()[0] ?? 'finish')
  if (location.hash !== `#${name}`)
    history.pushState(null, '', `${location.pathname}${location.search}#${name}`)
  // A key is for the moment in which it was made.
  key = undefined
  fillIn(name)
  show(name, factsOf(name))
}

/** What a step says, as text. */
function factsOf(name) {
  const { identityProvider, directory, organization } = setup
  const at = stages().indexOf(name)
  return {
    stage: fill(words.stage, { number: at + 1, of: stages().length, organization }),
    ...(identityProvider ?? {}),
    ...(directory ?? {}),
    kind: words.kinds[identityProvider?.kind] ?? '',
    tested: wordsOfTest(identityProvider),
    key: key ?? '',
  }
}

/** Fills the parts of a step that are no text. */
function fillIn(name) {
  const step = document.querySelector(`[data-step="${name}"]`)
  for (const [fact, value] of Object.entries(factsOf(name)))
    for (const place of step.querySelectorAll(`[data-text="${fact}"]`)) place.textContent = value
  step.querySelector('[data-domains]')?.replaceChildren(...(setup.domains ?? []).map(toDomain))
  step.querySelector('[data-done]')?.replaceChildren(...stages().map(toDone))
  const { identityProvider: provider, directory } = setup
  const holds = {
    entered: provider?.kind != null,
    changeable: provider?.isChangeable === true,
    key: key !== undefined,
    'has-key': directory?.hasKey === true && key === undefined,
  }
  for (const part of step.querySelectorAll('[data-when]')) part.hidden = !holds[part.dataset.when]
  const steps = [...stages(), 'finish']
  const before = steps[steps.indexOf(name) - 1]
  step.querySelector('[data-back]')?.replaceChildren(...(before === undefined ? [] : [linkBack(before)]))
}

function linkBack(name) {
  const link = document.createElement('a')
  link.href = `#${name}`
  link.textContent = words.back
  return link
}

async function check(name) {
  setup = await post('/v1/setup/domains', { name })
  fillIn('domains')
}

async function enter(kind, typed) {
  const members = Object.entries(typed).map(([name, value]) => [name.slice(kind.length + 1), value.trim()])
  setup = await call('/v1/setup/identity-provider', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind, [kind]: Object.fromEntries(members) }),
  })
  for (const input of document.querySelectorAll(`#enter-${kind} [name]`)) input.value = ''
  go('provider')
}

function wordsOfTest(provider) {
  if (provider?.kind == null) return ''
  if (provider.test === null) return words.untested
  const { works, reason, address } = provider.test
  if (!works) return fill(words.failed, { reason })
  const enabled = provider.status === 'active' ? words.enabled : words.waits
  return [words.works, address === 'proven' ? '' : words.addresses[address], enabled]
    .filter(Boolean)
    .join(' ')
}

/** A domain, with the record that proves it while it is not proven. */
function toDomain({ name, status, reason, record }) {
  const item = document.createElement('li')
  const isProven = status === 'verified'
  item.append(strong(name), ' ', words.domains[isProven ? 'verified' : (reason ?? 'pending')])
  if (isProven) return item
  const list = document.createElement('dl')
  list.className = 'values'
  list.append(
    ...Object.entries(record).map(([label, value]) => {
      const [row, term, text, code] = ['div', 'dt', 'dd', 'code'].map((tag) => document.createElement(tag))
      term.textContent = words.record[label]
      code.textContent = value
      text.append(code)
      row.append(term, text)
      return row
    }),
  )
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'secondary'
  button.textContent = fill(words.checkNow, { name })
  button.addEventListener('click', async () => {
    button.disabled = true
    await check(name).catch((refusal) =>
      complain('check-domain', explain(refusal, ['name']).sentence ?? says.ourFault),
    )
    button.disabled = false
    // The list is another one now: the focus stays at the domain.
    ;[...document.querySelectorAll('[data-domains] li')].find((one) => one.dataset.name === name)?.focus()
  })
  item.dataset.name = name
  item.tabIndex = -1
  item.append(list, button)
  return item
}

/** How far a stage is. */
function toDone(name) {
  const item = document.createElement('li')
  const { domains, identityProvider, directory } = setup
  const isDone = {
    domains: () => domains.some(({ status }) => status === 'verified'),
    provider: () => identityProvider.kind !== null,
    directory: () => directory.hasKey,
  }[name]()
  item.append(strong(words.stages[name]), ' ', isDone ? words.done : words.open)
  return item
}

function strong(text) {
  const element = document.createElement('strong')
  element.textContent = text
  return element
}
