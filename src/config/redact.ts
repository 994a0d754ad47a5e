const IT_IS = '(it is '

/**
 * Whatever was quoted may have been given a password, wherever it was put by mistake: of what has an `@` only the part
 * after the last one is shown, of an address no query, and of what looks drawn by chance nothing.
 */
export function withoutSecrets(line: string): string {
  return line
    .split(IT_IS)
    .map((part) =>
      part
        .replace(/".*@/s, '"[redacted]@')
        .replace(/\?[^\s"]*"/g, '?[redacted]"')
        .replace(/"(?=[^"]*\d)[\w+/=-]{20,}"/g, '"[redacted]"'),
    )
    .join(IT_IS)
}

/** A secret, or a URL that may hold one, is never repeated in a message. */
export function isPublic(name: string): boolean {
  return !/SECRET|TOKEN|KEY|DATABASE|SMTP_URL|BLOBS_URL|BACKUP_TO|PASSPHRASE|HEADERS|OTLP_.*ENDPOINT/.test(
    name,
  )
}
