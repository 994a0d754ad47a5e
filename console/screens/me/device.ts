const BROWSERS: [RegExp, string][] = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\b(Headless)?Chrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
]
const SYSTEMS: [RegExp, string][] = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/** "Firefox on Linux": a User-Agent in words. */
export function deviceOf(userAgent: string): string {
  const [browser, system] = [BROWSERS, SYSTEMS].map(
    (rows) => rows.find(([pattern]) => pattern.test(userAgent))?.[1],
  )
  if (browser === undefined) return userAgent === '' ? 'an unknown device' : userAgent.slice(0, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}
