import type { Language } from '../core/language.ts'
import { escapeHtml } from '../core/text/html.ts'
import { fill, forCount } from '../core/text/message.ts'
import type { FactorKind } from '../db/tables/tables.ts'
import type { MailMessages } from '../messages/mails/en.ts'
import { MAIL_MESSAGES } from '../messages/messages.ts'

/** What a mail is about; a function, because its language is known only where its recipient is looked up. */
export type Letter = (says: MailMessages, language: Language) => Written

/** A mail as a person reads it: its text, and one link. */
export interface Written {
  subject: string
  /** Paragraphs of plain text; values in them may come from strangers. */
  paragraphs: string[]
  action?: { label: string; url: string }
  code?: string
}

/** A letter as it is sent. */
export interface Rendered {
  subject: string
  text: string
  html: string
}

export function invitationLetter(to: {
  organization: string
  inviter: string | null
  url: string
  days: number
}): Letter {
  return ({ invitation }, language) => {
    const { days } = to
    const organization = plain(to.organization)
    return {
      subject: fill(invitation.subject, { organization }),
      paragraphs: [
        to.inviter === null
          ? fill(invitation.about, { organization })
          : fill(invitation.aboutBy, { organization, inviter: plain(to.inviter) }),
        fill(forCount(language, invitation.lasts, days), { days }),
      ],
      action: { label: invitation.accept, url: to.url },
    }
  }
}

export function setupLetter(to: { organization: string; url: string; days: number }): Letter {
  return ({ setup: { subject, about, lasts, open } }, language) => {
    const organization = plain(to.organization)
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
  /** Whom the link is for, as its maker has named it. */
  name: string
  organization: string
}

export function setupOpenedLetter({ name, organization, ip }: UsedLink & { ip: string }): Letter {
  return ({ setupOpened: { subject, about, notYou } }) => ({
    subject: fill(subject, { name: plain(name) }),
    paragraphs: [fill(about, { organization: plain(organization), ip }), notYou],
  })
}

export function setupFinishedLetter(link: UsedLink): Letter {
  return ({ setupFinished: { subject, about, review } }) => {
    const [name, organization] = [plain(link.name), plain(link.organization)]
    return { subject: fill(subject, { name }), paragraphs: [fill(about, { name, organization }), review] }
  }
}

export function confirmationLetter({ name, ip, url }: { name: string; ip: string; url: string }): Letter {
  return ({ confirmation: { subject, about, you, notYou, confirm } }) => ({
    subject,
    paragraphs: [fill(about, { name: plain(name), ip }), you, notYou],
    action: { label: confirm, url },
  })
}

export function passwordResetLetter({ ip, url }: { ip: string; url: string }): Letter {
  return ({ passwordReset: { subject, about, you, choose } }) => ({
    subject,
    paragraphs: [fill(about, { ip }), you],
    action: { label: choose, url },
  })
}

/** @param how a reset ends every session, a change every other one */
export function passwordChangedLetter({ how, ip }: { how: 'reset' | 'changed'; ip: string }): Letter {
  return ({ notYouReset, passwordChanged }) => ({
    subject: passwordChanged.subject,
    paragraphs: [fill(passwordChanged[how], { ip }), notYouReset],
  })
}

export function identityLinkedLetter({ provider, ip }: { provider: string; ip: string }): Letter {
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

export function factorAddedLetter({ kind, name, ip }: NamedFactor): Letter {
  return ({ notYouReset, factorAdded }) => ({
    subject: factorAdded.subject,
    paragraphs: [fill(factorAdded[kind], { name: plain(name), ip }), notYouReset],
  })
}

export function factorRemovedLetter({ kind, name, ip, left }: NamedFactor & { left: number }): Letter {
  return ({ notYouReset, factorRemoved }) => ({
    subject: factorRemoved.subject,
    paragraphs: [
      fill(factorRemoved[kind], { name: plain(name), ip }),
      left === 0 ? factorRemoved.none : factorRemoved.others,
      notYouReset,
    ],
  })
}

export function factorsRemovedLetter({ by }: { by: 'operator' | 'administrator' }): Letter {
  return ({ factorsRemoved: { subject, byOperator, byAdministrator, notYou } }) => ({
    subject,
    paragraphs: [by === 'operator' ? byOperator : byAdministrator, notYou],
  })
}

export function recoveryCodesRenewedLetter({ ip }: { ip: string }): Letter {
  return ({ notYouReset, codesRenewed: { subject, about } }) => ({
    subject,
    paragraphs: [fill(about, { ip }), notYouReset],
  })
}

export function recoveryCodeUsedLetter({ ip, left }: { ip: string; left: number }): Letter {
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

export function emailProofLetter({ by, ip, url }: AskedChange): Letter {
  return ({ emailProof: { subject, byPerson, byOperator, you, notYou, open } }) => ({
    subject,
    paragraphs: [by === 'person' ? fill(byPerson, { ip }) : byOperator, you, notYou],
    action: { label: open, url },
  })
}

export function emailTakenLetter({ ip }: { ip: string }): Letter {
  return ({ emailTaken: { subject, about, you } }) => ({ subject, paragraphs: [fill(about, { ip }), you] })
}

export function emailApprovalLetter({ by, ip, to, url }: AskedChange & { to: string }): Letter {
  return ({ emailApproval: { subject, byPerson, byOperator, approve, notYou, notYouOperator, open } }) => {
    const email = plain(to)
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

export function emailChangedLetter({
  by,
  ip,
  to,
}: {
  by: 'person' | 'operator'
  ip: string
  to: string
}): Letter {
  return ({ emailChanged: { subject, byPerson, byOperator, ended, notYou } }) => {
    const email = plain(to)
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

export function magicLinkLetter({ ip, url, code }: { ip: string; url: string; code: string }): Letter {
  return ({ magicLink: { subject, about, notYou, signIn } }) => ({
    subject,
    paragraphs: [fill(about, { ip }), notYou],
    action: { label: signIn, url },
    code,
  })
}

/** Text from outside, on one line, unable to look like a link (a mail program would make it clickable). */
function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replace(/:\/\//g, ' ')
    .replace(/\b(www)\./gi, '$1 ')
    .replace(/(\p{L}|\p{N})\.(?=\p{L})/gu, '$1\u2024')
    .trim()
    .slice(0, 120)
}

/** A letter in one language. */
export function write(letter: Letter, language: Language): Written {
  return letter(MAIL_MESSAGES[language], language)
}

/** Plain text and the same as simple HTML, signed with the name of the operator's product. */
export function render(
  { subject, paragraphs, action, code }: Written,
  { product, language }: { product: string; language: Language },
): Rendered {
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
