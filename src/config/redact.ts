const IT_IS = '(it is '

/**
 * A quoted value may contain a password by mistake. Only the part behind the last `@` is shown, no query of an address, and nothing that
 * looks random.
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

/** Whether messages may quote the value of a variable; secrets, and URLs that may contain one, are never quoted. */
export function isPublic(name: string): boolean {
  return !/SECRET|TOKEN|KEY|DATABASE|SMTP_URL|BLOBS_URL|BACKUP_TO|PASSPHRASE|HEADERS|OTLP_.*ENDPOINT/.test(
    name,
  )
}
