/** The languages that organizations and people have chosen for their mails, and that of an invitation. */
export function statements(): string[] {
  return ['organization', 'account', 'invitation'].map(
    (name) => `alter table ${name} add column language text`,
  )
}
