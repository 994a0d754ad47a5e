/**
 * The content policy of all pages: nothing from other origins, inline code only by its hash, and no text becomes markup.
 * @param scripts scripts beside those of this server, such as `'sha256-…'`
 */
export function contentPolicy(...scripts: string[]): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
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
