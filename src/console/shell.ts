import { createHash } from 'node:crypto'
import type { Product } from '../config/product-variables.ts'
import { type Html, html, NOTHING } from '../core/text/html.ts'
import { contentPolicy } from '../shared/content-policy.ts'
import { logoOf } from '../shared/logo.ts'
import { type ConsoleBuild, EARLY } from './build-console.ts'
import { ENTRY } from './compiled.ts'

/** The one document of the console, and the policy that it is sent with. */
export interface Shell {
  page: string
  policy: string
}

/** The requested page, and whether the browser has a session. */
export interface Place {
  /** The path behind `/console` and the organization. */
  path: string
  organization: string | undefined
  /** Whether the browser sent a session's cookie, good or not. */
  hasSession: boolean
}

/**
 * The document at a path of the console, which scripts fill. It differs only by the preloads: with a session it preloads the session and
 * the token.
 * @param root the path of `BASE_URL`
 */
export function makeShell(build: ConsoleBuild, root: string, product: Product, place: Place): Shell {
  const { path } = place
  const base = `${root}/console/assets/${build.name}/`
  const logo = logoOf(root, product)
  const map = build.importMap(base)
  const early = build.files.get(EARLY)?.toString('utf8').trim() ?? ''
  const preloads = build.preload(path).map(
    (name) => html`<link rel="modulepreload" href="${base}${name}">
`,
  )
  const first = build.firstCalls(path).join(' ')
  const before = html`<!doctype html>
<html lang="en" data-root="${root}" data-product="${product.name}"${first === '' ? NOTHING : html` data-first="${first}"`}${logo === undefined ? NOTHING : html` data-logo="${logo.path}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Console · ${product.name}</title>
${asked(root, place)}`
  const style = html`<link rel="icon" href="${logo?.path ?? `${base}icon.svg`}" type="${logo?.type ?? 'image/svg+xml'}">
<link rel="stylesheet" href="${base}${build.style(path)}">
`
  const after = html`${preloads}<script type="module" src="${base}${ENTRY}"></script>
</head>
<body>
<div id="app"><p class="opening" role="status">Opening the console…</p></div>
<noscript><p class="opening">The console needs JavaScript. Turn it on and reload the page.</p></noscript>
</body>
</html>
`
  // The script and the names are constants without `</script>`.
  return {
    page: `${before.markup}<script>${early}</script>\n${style.markup}<script type="importmap">${map}</script>\n${after.markup}`,
    policy: contentPolicy(...[early, map].map(printOf)),
  }
}

/** Preloads of the calls that `early.ts` makes. The browser starts them before any script runs. */
function asked(root: string, { organization, hasSession }: Place): Html {
  if (!hasSession) return NOTHING
  const token = organization === undefined ? [] : [`/v1/auth/token?organizationId=${organization}`]
  return html`${['/v1/auth/session', ...token].map(
    (path) => html`<link rel="preload" as="fetch" crossorigin="anonymous" href="${root}${path}">
`,
  )}`
}

/** The hash of an inline script for the content security policy. */
const printOf = (inline: string) => `'sha256-${createHash('sha256').update(inline).digest('base64')}'`
