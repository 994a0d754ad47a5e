import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { LANGUAGES } from '../core/language.ts'
import { mailFrom, oneOf } from './values.ts'

/** The operator's logo as it is served. */
export interface Logo {
  type: 'image/png' | 'image/svg+xml'
  content: Buffer
}

/** The name and logo of the product. */
export interface Product {
  name: string
  /** undefined: Postern's own. */
  logo: Logo | undefined
}

const MAX_NAME = 60
const MAX_LOGO_BYTES = 256 * 1_024
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Variables of the pages, the console and the mails. */
export const PRODUCT_VARIABLES = {
  MAIL_FROM: {
    default: '',
    about:
      'Sender of mails: `Acme <mails@acme.example>`. Default: `PRODUCT_NAME` with the address `postern@localhost`, which few mail servers accept.',
    read: mailFrom,
  },
  PRODUCT_NAME: {
    default: 'Postern',
    about: 'Name of your product on pages, in the console and in mails; 60 characters at most.',
    read: productName,
  },
  DEFAULT_LANGUAGE: {
    default: 'en',
    about:
      'Language of pages and mails if neither the person, nor the browser, nor the organization has chosen one: `en`, `de`, `fr`, `es` or `ja`.',
    read: oneOf(...LANGUAGES),
  },
  PRODUCT_LOGO: {
    default: '',
    about:
      'Logo of your product: an SVG or PNG file of 256 KB at most, read at the start. Default: the logo of Postern.',
    read: (text: string) => (text === '' ? undefined : readLogo(resolve(text))),
  },
} as const

function productName(text: string): string {
  if (text.length > MAX_NAME || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text))
    throw new Error(`must be one line of ${MAX_NAME} characters at most`)
  return text
}

function readLogo(path: string): Logo {
  const content = contentOf(path)
  if (content.subarray(0, PNG.length).equals(PNG)) return { type: 'image/png', content }
  if (isSvg(content)) return { type: 'image/svg+xml', content }
  throw new Error('must be a file of SVG or PNG')
}

function contentOf(path: string): Buffer {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isFile()) throw new Error('must be a file')
  if (found.size > MAX_LOGO_BYTES) throw new Error(`must be a file of ${MAX_LOGO_BYTES / 1_024} KB at most`)
  try {
    return readFileSync(path)
  } catch (error) {
    throw new Error(`must be a file that can be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Checks the first element, because an HTML page may contain an SVG too. */
function isSvg(content: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content)
    return /^\s*(?:<\?xml[^>]*>|<!--[\s\S]*?-->|<!DOCTYPE svg[^>[]*>|\s)*<svg[\s>]/i.test(text)
  } catch {
    return false
  }
}
