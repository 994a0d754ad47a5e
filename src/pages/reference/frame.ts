import { type Html, html, NOTHING } from '../../core/text/html.ts'
import { DOCS_PATH } from '../../http/error-response.ts'
import { logoOf } from '../../shared/logo.ts'
import { assetPath } from '../assets.ts'
import type { Facts } from '../layout.ts'

/** The address and the product of the pages. */
export interface Site extends Pick<Facts, 'root' | 'product' | 'consolePath'> {
  baseUrl: string
}

/** The frame around every page of the reference. @param script the module of the page; without one it is only read */
export function frame(
  { root, product, consolePath }: Site,
  title: string,
  content: Html,
  script?: string,
): string {
  const logo = logoOf(root, product) ?? { path: assetPath(root, 'icon.svg'), type: 'image/svg+xml' }
  return html`<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${product.name}</title>
<link rel="icon" href="${logo.path}" type="${logo.type}">
<link rel="stylesheet" href="${assetPath(root, 'page.css')}">
<link rel="stylesheet" href="${assetPath(root, 'reference.css')}">
${script === undefined ? NOTHING : html`<script type="module" src="${assetPath(root, script)}"></script>`}
</head>
<body class="reference">
<header><img src="${logo.path}" alt="" height="36"><span>${product.name}</span>${consolePath === undefined ? NOTHING : html`<nav aria-label="Elsewhere"><a href="${consolePath}">Console</a></nav>`}</header>
<main>
${content}
</main>
</body>
</html>
`.markup
}

/** Links to the pages above a page: the reference first, the page itself last. @param between addresses and names of the pages between */
export function crumbs({ root }: Pick<Site, 'root'>, here: string, between: [string, string][] = []): Html {
  const links = [[`${root}${DOCS_PATH}`, 'API reference'] as const, ...between]
  return html`<nav class="crumbs" aria-label="Breadcrumb"><ol>${links.map(
    ([path, name]) => html`<li><a href="${path}">${name}</a></li>`,
  )}<li aria-current="page">${here}</li></ol></nav>`
}
