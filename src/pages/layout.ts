import type { Product } from '../config/product-variables.ts'
import { type Html, html, NOTHING } from '../core/text/html.ts'
import { logoOf } from '../shared/logo.ts'
import { assetPath } from './assets.ts'

/** What a page may know: the configuration, never the request's secrets. */
export interface Facts {
  /** The path of `BASE_URL`: empty, or `/postern` behind a proxy that serves it there. */
  root: string
  product: Product
  /** Where the console is; undefined where it is switched off. */
  consolePath: string | undefined
  /** The sign-in providers that are configured. */
  providers: { id: string; name: string }[]
  termsUrl: string | undefined
  /** Whether the browser sent a session cookie, good or not. */
  hasSession: boolean
  /** State of the checkout whose id is in the address; undefined without one. */
  order: { status: 'open' | 'paid' | 'expired' | 'refunded'; organization: string | undefined } | undefined
}

/** A page as its own file describes it. */
export interface Page {
  title: string
  /** Its module in `assets/`; a page without one is complete as it stands. */
  script?: string
  content: Html
}

/** The frame around every page. */
export function layout(
  facts: Pick<Facts, 'root' | 'product' | 'consolePath'>,
  { title, script, content }: Page,
): string {
  const { root, product, consolePath } = facts
  const logo = logoOf(root, product) ?? { path: assetPath(root, 'icon.svg'), type: 'image/svg+xml' }
  const page = html`<!doctype html>
<html lang="en" data-root="${root}"${consolePath === undefined ? NOTHING : html` data-console="${consolePath}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title} · ${product.name}</title>
<link rel="icon" href="${logo.path}" type="${logo.type}">
<link rel="stylesheet" href="${assetPath(root, 'page.css')}">
${script === undefined ? NOTHING : html`<script type="module" src="${assetPath(root, script)}"></script>`}
</head>
<body>
<header><img src="${logo.path}" alt="" height="36"><span>${product.name}</span></header>
<main>
${script === undefined ? NOTHING : NO_SCRIPT}
${content}
</main>
<footer>By invitation only</footer>
</body>
</html>
`
  return page.markup
}

const NO_SCRIPT = html`<noscript><p class="problem">This page needs JavaScript. Nothing has been done yet. Turn JavaScript on and reload the page.</p></noscript>`

/** One state of a page; the script shows one at a time. */
export function step(name: string, heading: string, content: Html, { shown = false } = {}): Html {
  return html`<section data-step="${name}" aria-labelledby="${name}-heading"${shown ? NOTHING : HIDDEN}>
<h1 id="${name}-heading" tabindex="-1">${heading}</h1>
${content}
</section>`
}

const HIDDEN = html` hidden`

/**
 * A form that its script sends. Until the script is there it cannot be sent at all, so that nothing that
 * was typed ends up in an address.
 */
export function form(name: string, action: string, fields: Html): Html {
  return html`<form id="${name}" method="post" novalidate>
<div class="problem" role="alert" tabindex="-1" hidden></div>
<fieldset disabled>
${fields}
<button class="primary">${action}</button>
</fieldset>
</form>`
}

interface Field {
  /** As the API names it. */
  name: string
  label: string
  type: 'text' | 'email' | 'password'
  autocomplete: string
  hint?: string
  readonly?: boolean
}

/** A labelled input of a form, with its hint and the place of its error tied to it. */
export function field(formName: string, { name, label, type, autocomplete, hint, readonly }: Field): Html {
  const id = `${formName}-${name}`
  const describedBy = `${hint === undefined ? '' : `${id}-hint `}${id}-error`
  const code = autocomplete === 'one-time-code' ? CODE : NOTHING
  const input = html`<input id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}" aria-describedby="${describedBy}" required${readonly ? READ_ONLY : NOTHING}${code}>`
  return html`<div class="field">
<label for="${id}">${label}</label>
${hint === undefined ? NOTHING : html`<p class="hint" id="${id}-hint">${hint}</p>`}
${type === 'password' ? html`<div class="password">${input}<button type="button" class="reveal" aria-pressed="false" aria-controls="${id}">Show<span class="unseen"> password</span></button></div>` : input}
<p class="error" id="${id}-error"></p>
</div>`
}

const READ_ONLY = html` readonly`
const CODE = html` autocapitalize="characters" spellcheck="false" maxlength="32" class="code"`

/** The checkbox for accepting the terms, with the place of its error. */
export function termsField(formName: string, termsUrl: string | undefined): Html {
  const id = `${formName}-termsAccepted`
  const terms =
    termsUrl === undefined
      ? html`I accept the terms of use`
      : html`I accept the <a href="${termsUrl}" target="_blank" rel="noreferrer noopener">terms of use<span class="unseen"> (opens in a new tab)</span></a>`
  return html`<div class="field">
<div class="check"><input id="${id}" name="termsAccepted" type="checkbox" required aria-describedby="${id}-error"><label for="${id}">${terms}</label></div>
<p class="error" id="${id}-error"></p>
</div>`
}

/** Buttons for the configured providers, below a `note`; nothing without providers. */
export function providerButtons(providers: Facts['providers'], note = NOTHING): Html {
  if (providers.length === 0) return NOTHING
  return html`<div class="or"><span>or</span></div>
${note}
<div class="problem" id="provider-problem" role="alert" tabindex="-1" hidden></div>
${providers.map(({ id, name }) => html`<button type="button" class="secondary" data-provider="${id}">Continue with ${name}</button>`)}`
}

/** The state of a page after a person has signed in. */
export function signedIn({ consolePath }: Pick<Facts, 'consolePath'>, heading: string): Html {
  return step(
    'signed-in',
    heading,
    html`<p>Signed in as <strong data-text="email"></strong>.</p>
<div data-some="organizations"><h2>Your organizations</h2>
<ul class="organizations" data-list="organizations"></ul></div>
${consolePath === undefined ? html`<p class="quiet">You can close this page now.</p>` : html`<p><a class="primary" href="${consolePath}">Open the console</a></p>`}
${form('sign-out', 'Sign out', NOTHING)}`,
  )
}
