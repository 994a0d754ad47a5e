import type { Language } from '../core/language.ts'
import { escapeHtml } from '../core/text/html.ts'
import { fill, forCount } from '../core/text/message.ts'
import type { FactorKind } from '../db/tables/tables.ts'
import type { MailMessages } from '../messages/mails/en.ts'
import { MAIL_MESSAGES } from '../messages/messages.ts'

/** The contents of a mail, as a function of the recipient's language, which is looked up later. */
export type MailTemplate = (says: MailMessages, language: Language) => MailContent

/** The contents of a mail for one language. */
export interface MailContent {
  subject: string
  /** Paragraphs of plain text; values in them may come from strangers. */
  paragraphs: string[]
  action?: { label: string; url: string }
  code?: string
}

/** A mail in the form that is sent. */
export interface RenderedMail {
  subject: string
  text: string
  html: string
}

export function invitationMail(to: {
  organization: string
  inviter: string | null
  url: string
  days: number
}): MailTemplate {
  return ({ invitation }, language) => {
    const { days } = to
    const organization = onOneLine(to.organization)
    return {
      subject: fill(invitation.subject, { organization }),
      paragraphs: [
        to.inviter === null
          ? fill(invitation.about, { organization })
          : fill(invitation.aboutBy, { organization, inviter: onOneLine(to.inviter) }),
        fill(forCount(language, invitation.lasts, days), { days }),
      ],
      action: { label: invitation.accept, url: to.url },
    }
  }
}

export function setupMail(to: { organization: string; url: string; days: number }): MailTemplate {
  return ({ setup: { subject, about, lasts, open } }, language) => {
    const organization = onOneLine(to.organization)
    return {
      subject: fill(subject, { organization }),
      paragraphs: [
        fill(about, { organization }),
        fill(forCount(language, lasts, to.days), { days: to.days }),
      ],
      action: { label: open, url: to.url },
    }
  }
}

interface UsedLink {
  /** The name that the creator of the link gave it. */
  name: string
  organization: string
}

export function setupOpenedMail({ name, organization, ip }: UsedLink & { ip: string }): MailTemplate {
  return ({ setupOpened: { subject, about, notYou } }) => ({
    subject: fill(subject, { name: onOneLine(name) }),
    paragraphs: [fill(about, { organization: onOneLine(organization), ip }), notYou],
  })
}

export function setupFinishedMail(link: UsedLink): MailTemplate {
  return ({ setupFinished: { subject, about, review } }) => {
    const [name, organization] = [onOneLine(link.name), onOneLine(link.organization)]
    return { subject: fill(subject, { name }), paragraphs: [fill(about, { name, organization }), review] }
  }
}

export function confirmationMail({ name, ip, url }: { name: string; ip: string; url: string }): MailTemplate {
  return ({ confirmation: { subject, about, you, notYou, confirm } }) => ({
    subject,
    paragraphs: [fill(about, { name: onOneLine(name), ip }), you, notYou],
    action: { label: confirm, url },
  })
}

export function passwordResetMail({ ip, url }: { ip: string; url: string }): MailTemplate {
  return ({ passwordReset: { subject, about, you, choose } }) => ({
    subject,
    paragraphs: [fill(about, { ip }), you],
    action: { label: choose, url },
  })
}

/** @param how a reset ends every session, a change every other one */
export function passwordChangedMail({ how, ip }: { how: 'reset' | 'changed'; ip: string }): MailTemplate {
  return ({ notYouReset, passwordChanged }) => ({
    subject: passwordChanged.subject,
    paragraphs: [fill(passwordChanged[how], { ip }), notYouReset],
  })
}

export function identityLinkedMail({ provider, ip }: { provider: string; ip: string }): MailTemplate {
  return ({ notYou, identityLinked: { subject, about } }) => ({
    subject: fill(subject, { provider }),
    paragraphs: [fill(about, { provider, ip }), notYou],
  })
}

interface NamedFactor {
  kind: FactorKind
  name: string
  ip: string
}

export function factorAddedMail({ kind, name, ip }: NamedFactor): MailTemplate {
  return ({ notYouReset, factorAdded }) => ({
    subject: factorAdded.subject,
    paragraphs: [fill(factorAdded[kind], { name: onOneLine(name), ip }), notYouReset],
  })
}

export function factorRemovedMail({ kind, name, ip, left }: NamedFactor & { left: number }): MailTemplate {
  return ({ notYouReset, factorRemoved }) => ({
    subject: factorRemoved.subject,
    paragraphs: [
      fill(factorRemoved[kind], { name: onOneLine(name), ip }),
      left === 0 ? factorRemoved.none : factorRemoved.others,
      notYouReset,
    ],
  })
}

export function factorsRemovedMail({ by }: { by: 'operator' | 'administrator' }): MailTemplate {
  return ({ factorsRemoved: { subject, byOperator, byAdministrator, notYou } }) => ({
    subject,
    paragraphs: [by === 'operator' ? byOperator : byAdministrator, notYou],
  })
}

export function recoveryCodesRenewedMail({ ip }: { ip: string }): MailTemplate {
  return ({ notYouReset, codesRenewed: { subject, about } }) => ({
    subject,
    paragraphs: [fill(about, { ip }), notYouReset],
  })
}

export function recoveryCodeUsedMail({ ip, left }: { ip: string; left: number }): MailTemplate {
  return ({ codeUsed: { subject, about, notYou } }) => ({
    subject,
    paragraphs: [fill(about, { ip, left }), notYou],
  })
}

interface AskedChange {
  by: 'person' | 'operator'
  ip: string
  url: string
}

export function emailProofMail({ by, ip, url }: AskedChange): MailTemplate {
  return ({ emailProof: { subject, byPerson, byOperator, you, notYou, open } }) => ({
    subject,
    paragraphs: [by === 'person' ? fill(byPerson, { ip }) : byOperator, you, notYou],
    action: { label: open, url },
  })
}

export function emailTakenMail({ ip }: { ip: string }): MailTemplate {
  return ({ emailTaken: { subject, about, you } }) => ({ subject, paragraphs: [fill(about, { ip }), you] })
}

export function emailApprovalMail({ by, ip, to, url }: AskedChange & { to: string }): MailTemplate {
  return ({ emailApproval: { subject, byPerson, byOperator, approve, notYou, notYouOperator, open } }) => {
    const email = onOneLine(to)
    return {
      subject,
      paragraphs:
        by === 'person'
          ? [fill(byPerson, { email, ip }), approve, notYou]
          : [fill(byOperator, { email }), notYouOperator],
      action: { label: open, url },
    }
  }
}

export function emailChangedMail({
  by,
  ip,
  to,
}: {
  by: 'person' | 'operator'
  ip: string
  to: string
}): MailTemplate {
  return ({ emailChanged: { subject, byPerson, byOperator, ended, notYou } }) => {
    const email = onOneLine(to)
    return {
      subject,
      paragraphs: [
        by === 'person' ? fill(byPerson, { email, ip }) : fill(byOperator, { email }),
        ended,
        notYou,
      ],
    }
  }
}

export function magicLinkMail({ ip, url, code }: { ip: string; url: string; code: string }): MailTemplate {
  return ({ magicLink: { subject, about, notYou, signIn } }) => ({
    subject,
    paragraphs: [fill(about, { ip }), notYou],
    action: { label: signIn, url },
    code,
  })
}

/** Text from outside as one line without anything that a mail program would turn into a link. */
function onOneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replace(/:\/\//g, ' ')
    .replace(/\b(www)\./gi, '$1 ')
    .replace(/(\p{L}|\p{N})\.(?=\p{L})/gu, '$1\u2024')
    .trim()
    .slice(0, 120)
}

/** The contents of a mail in one language. */
export function fillTemplate(template: MailTemplate, language: Language): MailContent {
  return template(MAIL_MESSAGES[language], language)
}

/** The mail as plain text and as simple HTML, signed with the name of the operator's product. */
export function renderMail(
  { subject, paragraphs, action, code }: MailContent,
  { product, language }: { product: string; language: Language },
): RenderedMail {
  const codeLine = MAIL_MESSAGES[language].code
  const text = [
    ...paragraphs,
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...(code ? [fill(codeLine, { code })] : []),
    product,
  ]
  const strong = (shown: string) => `<strong style="font-family:monospace">${escapeHtml(shown)}</strong>`
  const html = [
    ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    ...(action ? [`<p><a href="${escapeHtml(action.url)}">${escapeHtml(action.label)}</a></p>`] : []),
    ...(code ? [`<p>${fill(codeLine, { code: strong(code) })}</p>`] : []),
    `<p>${escapeHtml(product)}</p>`,
  ]
  return {
    subject,
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html><html lang="${language}"><body style="font-family:sans-serif">${html.join('')}</body></html>`,
  }
}
