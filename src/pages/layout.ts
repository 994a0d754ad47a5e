import type { Product } from '../config/product-variables.ts'
import { isFamilyNameFirst, LANGUAGE_NAMES, LANGUAGES, type Language } from '../core/language.ts'
import { type Html, html, NOTHING } from '../core/text/html.ts'
import { fill, fillHtml } from '../core/text/message.ts'
import { PAGE_MESSAGES } from '../messages/messages.ts'
import type { PageMessages } from '../messages/pages/en.ts'
import { logoOf } from '../shared/logo.ts'
import { assetPath, messagesFile } from './assets.ts'

/** The inputs of a page: configuration, never secrets of the request. */
export interface Facts {
  language: Language
  /** The messages of pages in that language. */
  says: PageMessages
  /** The path of `BASE_URL`: empty, or `/postern` behind a proxy that serves it there. */
  root: string
  product: Product
  /** The path of the console; undefined where it is off. */
  consolePath: string | undefined
  /** The sign-in providers that are configured. */
  providers: { id: string; name: string }[]
  termsUrl: string | undefined
  /** Whether the browser sent a session cookie, good or not. */
  hasSession: boolean
  /** State of the checkout whose id is in the address; undefined without one. */
  order: { status: 'open' | 'paid' | 'expired' | 'refunded'; organization: string | undefined } | undefined
}

/** The parts of a page. */
export interface Page {
  title: string
  /** Its module in `assets/`; a page without one needs no script. */
  script?: string
  content: Html
}

/** The frame around every page. */
export function layout(
  facts: Pick<Facts, 'root' | 'product' | 'consolePath' | 'language'> & Partial<Pick<Facts, 'hasSession'>>,
  { title, script, content }: Page,
): string {
  const { root, product, consolePath, language, hasSession = false } = facts
  const { frame } = PAGE_MESSAGES[language]
  const logo = logoOf(root, product) ?? { path: assetPath(root, 'icon.svg'), type: 'image/svg+xml' }
  const page = html`<!doctype html>
<html lang="${language}" data-root="${root}"${consolePath === undefined ? NOTHING : html` data-console="${consolePath}"`}${hasSession ? html` data-session` : NOTHING}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title} · ${product.name}</title>
<link rel="icon" href="${logo.path}" type="${logo.type}">
<link rel="stylesheet" href="${assetPath(root, 'page.css')}">
${script === undefined ? NOTHING : scripts(root, language, script)}
</head>
<body>
<header><img src="${logo.path}" alt="" height="36"><span>${product.name}</span></header>
<main>
${script === undefined ? NOTHING : html`<noscript><p class="problem">${frame.needsScript}</p></noscript>`}
${content}
</main>
<footer><p>${frame.byInvitation}</p>
${languageLinks(frame.languages, language)}</footer>
</body>
</html>
`
  return page.markup
}

/** The module of a page, and the module with the messages of its language. */
function scripts(root: string, language: Language, script: string): Html {
  return html`<link rel="modulepreload" href="${assetPath(root, messagesFile(language))}">
<script type="module" src="${assetPath(root, script)}"></script>
<script type="module" src="${assetPath(root, 'languages.js')}"></script>`
}

/** Links to the same page in each language. A script adds the other parts of the address, which the page does not know. */
function languageLinks(label: string, present: Language): Html {
  return html`<nav aria-label="${label}"><ul data-languages>
${LANGUAGES.map((language) => html`<li><a href="?lang=${language}" lang="${language}" hreflang="${language}"${language === present ? html` aria-current="true"` : NOTHING}>${LANGUAGE_NAMES[language]}</a></li>`)}
</ul></nav>`
}

/** Wraps a part of a sentence as a link. */
export const linkTo = (path: string) => (part: Html) => html`<a href="${path}">${part}</a>`

/** A part of a text for screen readers only. */
const unseen = (part: Html) => html`<span class="unseen">${part}</span>`

/** One state of a page; the script shows one at a time. */
export function step(name: string, heading: string, content: Html, { shown = false } = {}): Html {
  return html`<section data-step="${name}" aria-labelledby="${name}-heading"${shown ? NOTHING : HIDDEN}>
<h1 id="${name}-heading" tabindex="-1">${heading}</h1>
${content}
</section>`
}

const HIDDEN = html` hidden`

/** A form that its script sends. Without the script it cannot be sent, so that no input appears in an address. */
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
export function field(
  { fields }: Pick<PageMessages, 'fields'>,
  formName: string,
  { name, label, type, autocomplete, hint, readonly }: Field,
): Html {
  const id = `${formName}-${name}`
  const describedBy = `${hint === undefined ? '' : `${id}-hint `}${id}-error`
  const code = autocomplete === 'one-time-code' ? CODE : NOTHING
  const input = html`<input id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}" aria-describedby="${describedBy}" required${readonly ? READ_ONLY : NOTHING}${code}>`
  const reveal = html`<button type="button" class="reveal" aria-pressed="false" aria-controls="${id}">${fillHtml(fields.showPassword, { unseen })}</button>`
  return html`<div class="field">
<label for="${id}">${label}</label>
${hint === undefined ? NOTHING : html`<p class="hint" id="${id}-hint">${hint}</p>`}
${type === 'password' ? html`<div class="password">${input}${reveal}</div>` : input}
<p class="error" id="${id}-error"></p>
</div>`
}

const READ_ONLY = html` readonly`
const CODE = html` autocapitalize="characters" spellcheck="false" maxlength="32" class="code"`

/** The field for a new password. */
export function passwordField(
  says: PageMessages,
  formName: string,
  name: 'password' | 'newPassword',
  label: string,
): Html {
  const hint = says.fields.passwordHint
  return field(says, formName, { name, label, type: 'password', autocomplete: 'new-password', hint })
}

/** Both names of a person; the family name is first where people write it so. */
export function nameFields({ language, says }: Pick<Facts, 'language' | 'says'>, formName: string): Html {
  const { firstName, lastName } = says.fields
  const first = field(says, formName, {
    ...{ name: 'firstName', label: firstName, type: 'text', autocomplete: 'given-name' },
  })
  const last = field(says, formName, {
    ...{ name: 'lastName', label: lastName, type: 'text', autocomplete: 'family-name' },
  })
  return html`<div class="pair">
${isFamilyNameFirst(language) ? [last, first] : [first, last]}
</div>`
}

/** The checkbox for accepting the terms, with the place of its error. */
export function termsField({ termsUrl, says }: Pick<Facts, 'termsUrl' | 'says'>, formName: string): Html {
  const { terms, termsLink, newTab } = says.fields
  const id = `${formName}-termsAccepted`
  const link = (part: Html) =>
    html`<a href="${termsUrl ?? ''}" target="_blank" rel="noreferrer noopener">${part}<span class="unseen"> ${newTab}</span></a>`
  return html`<div class="field">
<div class="check"><input id="${id}" name="termsAccepted" type="checkbox" required aria-describedby="${id}-error"><label for="${id}">${termsUrl === undefined ? terms : fillHtml(termsLink, { link })}</label></div>
<p class="error" id="${id}-error"></p>
</div>`
}

/** Buttons for the configured providers, below a `note`; nothing without providers. */
export function providerButtons(
  { providers, says: { frame } }: Pick<Facts, 'providers' | 'says'>,
  note = NOTHING,
): Html {
  if (providers.length === 0) return NOTHING
  return html`<div class="or"><span>${frame.or}</span></div>
${note}
<div class="problem" id="provider-problem" role="alert" tabindex="-1" hidden></div>
${providers.map(({ id, name }) => html`<button type="button" class="secondary" data-provider="${id}">${fill(frame.continueWith, { provider: name })}</button>`)}`
}

/** The state of a page after a person has signed in. */
export function signedIn(
  { consolePath, says: { frame } }: Pick<Facts, 'consolePath' | 'says'>,
  heading: string,
): Html {
  return step(
    'signed-in',
    heading,
    html`<p>${fillHtml(frame.signedInAs, { email: html`<strong data-text="email"></strong>` })}</p>
<div data-some="organizations"><h2>${frame.organizations}</h2>
<ul class="organizations" data-list="organizations"></ul></div>
${consolePath === undefined ? html`<p class="quiet">${frame.mayClose}</p>` : html`<p><a class="primary" href="${consolePath}">${frame.openConsole}</a></p>`}
${form('sign-out', frame.signOut, NOTHING)}`,
  )
}
