// Finds operations in the list of the reference, and leads from an anchor of a tag's page to the operation's own page.

const search = document.querySelector('search')
if (search === null) followAnchor()
else {
  search.hidden = false
  findIn(search)
}

/** Leads from `/api/docs/webhooks#createWebhook`, an address of the operation in its list, to the page of the operation. */
function followAnchor() {
  const link = document.getElementById(location.hash.slice(1))?.querySelector('a[href*="/operations/"]')
  if (link) location.replace(link.href)
}

function findIn(search) {
  const input = search.querySelector('input')
  const status = search.querySelector('[role="status"]')
  const first = document.querySelector('[data-first-call]')
  const groups = [...document.querySelectorAll('[data-tag]')].map((section) => ({
    section,
    items: [...section.querySelectorAll('li')].map((item) => ({
      item,
      link: item.querySelector('a'),
      words:
        `${section.querySelector('h2').textContent} ${item.textContent} ${item.querySelector('a').pathname.split('/').at(-1)}`.toLowerCase(),
    })),
  }))
  const all = groups.flatMap(({ items }) => items)
  const shown = () => all.filter(({ item }) => !item.hidden).map(({ link }) => link)

  function filter() {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    for (const { section, items } of groups) {
      for (const { item, words } of items) item.hidden = !wanted.every((word) => words.includes(word))
      section.hidden = items.every(({ item }) => item.hidden)
    }
    first.hidden = wanted.length > 0
    const count = shown().length
    status.textContent =
      wanted.length === 0
        ? `${all.length} operations`
        : count === 0
          ? 'No matching operations.'
          : `${count} of ${all.length} operations`
    const query = wanted.length === 0 ? '' : `?${new URLSearchParams({ q: input.value })}`
    history.replaceState(null, '', location.pathname + query + location.hash)
  }

  /** Moves the focus along the field and the links that are shown. */
  function move(by) {
    const stops = [input, ...shown()]
    stops[stops.indexOf(document.activeElement) + by]?.focus()
  }

  input.value = new URLSearchParams(location.search).get('q') ?? ''
  input.addEventListener('input', filter)
  document.addEventListener('keydown', (event) => {
    const { key, altKey, ctrlKey, metaKey, target } = event
    if (altKey || ctrlKey || metaKey || event.isComposing) return
    const isIn = target === input || target.matches('[data-tag] li a')
    if (key === '/' && target !== input) input.focus()
    else if (key === 'Enter' && target === input) shown()[0]?.click()
    else if (key === 'Escape' && isIn) {
      input.value = ''
      filter()
      input.focus()
    } else if (key === 'ArrowDown' && isIn) move(1)
    else if (key === 'ArrowUp' && isIn) move(-1)
    else return
    event.preventDefault()
  })
  filter()
}
