import { createHash } from 'node:crypto'
import type { Product } from '../config/product-variables.ts'
import { html, NOTHING } from '../core/text/html.ts'
import { logoOf } from '../shared/logo.ts'
import { EARLY, type Edition, ENTRY } from './edition.ts'
import { STYLE } from './sources.ts'

/** The one document of the console, and the policy that it is sent with. */
export interface Shell {
  page: string
  policy: string
}

/**
 * The document at a path of the console: the same for everybody, whoever is signed in. What is shown is the scripts' matter.
 * @param root the path of `BASE_URL`
 * @param path what follows `/console` and the organization
 */
export function makeShell(edition: Edition, root: string, product: Product, path: string): Shell {
  const base = `${root}/console/assets/${edition.name}/`
  const logo = logoOf(root, product)
  const map = edition.importMap(base)
  const preloads = edition.preload(path).map(
    (name) => html`<link rel="modulepreload" href="${base}${name}">
`,
  )
  const first = edition.firstCalls(path).join(' ')
  const before = html`<!doctype html>
<html lang="en" data-root="${root}" data-product="${product.name}"${first === '' ? NOTHING : html` data-first="${first}"`}${logo === undefined ? NOTHING : html` data-logo="${logo.path}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Console · ${product.name}</title>
<link rel="icon" href="${logo?.path ?? `${base}icon.svg`}" type="${logo?.type ?? 'image/svg+xml'}">
<script src="${base}${EARLY}"></script>
<link rel="stylesheet" href="${base}${STYLE}">
`
  const after = html`${preloads}<script type="module" src="${base}${ENTRY}"></script>
</head>
<body>
<div id="app"><p class="opening" role="status">Opening the console…</p></div>
<noscript><p class="opening">The console needs JavaScript, which is switched off in your browser.</p></noscript>
</body>
</html>
`
  // Made by `importMap` out of names that are ours: nothing in it can end the element.
  return {
    page: `${before.markup}<script type="importmap">${map}</script>\n${after.markup}`,
    policy: policyOf(map),
  }
}

/** Nothing from elsewhere, nothing inline but the import map as it stands, and no text becomes markup. */
function policyOf(map: string): string {
  const print = createHash('sha256').update(map).digest('base64')
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${print}'`,
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}
