import { escapeHtml } from '../core/text/html.ts'

/** A mail as a person reads it: its text, and one link. */
export interface Letter {
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
  const by = to.inviter === null ? '' : ` by ${plain(to.inviter)}`
  return {
    subject: `You are invited to ${plain(to.organization)}`,
    paragraphs: [
      `You have been invited${by} to join ${plain(to.organization)}.`,
      `The link below is for you only and works for ${to.days} ${to.days === 1 ? 'day' : 'days'}. Please do not forward it.`,
    ],
    action: { label: 'Accept the invitation', url: to.url },
  }
}

export function confirmationLetter(to: { name: string; ip: string; url: string }): Letter {
  return {
    subject: 'Confirm your e-mail address',
    paragraphs: [
      `Somebody signed up with this address as "${plain(to.name)}", from ${to.ip}.`,
      'If it was you, confirm the address within 24 hours, in the same browser or with the password that you chose.',
      'If it was not you, ignore this mail. Nothing happens without your confirmation.',
    ],
    action: { label: 'Confirm the address', url: to.url },
  }
}

export function passwordResetLetter(to: { ip: string; url: string }): Letter {
  return {
    subject: 'Choose a new password',
    paragraphs: [
      `Somebody asked for a new password for your account, from ${to.ip}.`,
      'If it was you, choose one within 30 minutes. If it was not you, ignore this mail. Your password stays the same.',
    ],
    action: { label: 'Choose a new password', url: to.url },
  }
}

export function passwordChangedLetter(to: { ip: string; ended: string }): Letter {
  return {
    subject: 'Your password was changed',
    paragraphs: [
      `The password of your account was changed from ${to.ip}. This signed out ${to.ended}.`,
      'If it was not you, reset your password now and tell your administrator.',
    ],
  }
}

export function identityLinkedLetter(to: { provider: string; ip: string }): Letter {
  return {
    subject: `Sign-in with ${to.provider} was added`,
    paragraphs: [
      `You can now sign in to your account with ${to.provider}. This was added from ${to.ip}.`,
      'If it was not you, tell your administrator.',
    ],
  }
}

export function factorAddedLetter(to: { factor: string; name: string; ip: string }): Letter {
  return {
    subject: 'A second factor was added to your account',
    paragraphs: [
      `${to.factor}, called "${plain(to.name)}", was added to your account from ${to.ip}. You are asked for a second factor at every sign-in.`,
      'If it was not you, reset your password now and tell your administrator.',
    ],
  }
}

export function factorRemovedLetter(to: { factor: string; name: string; ip: string; left: number }): Letter {
  const rest =
    to.left === 0 ? 'Your account has no second factor any more.' : 'Your other second factors still work.'
  return {
    subject: 'A second factor was removed from your account',
    paragraphs: [
      `${to.factor}, called "${plain(to.name)}", was removed from your account from ${to.ip}. ${rest}`,
      'If it was not you, reset your password now and tell your administrator.',
    ],
  }
}

export function factorsRemovedLetter(to: { by: string }): Letter {
  return {
    subject: 'Your second factors were removed',
    paragraphs: [
      `All second factors and recovery codes of your account were removed by ${to.by}. You are signed out everywhere, and sign in without a second factor until you add one.`,
      'If you did not ask for this, reset your password now and tell your administrator.',
    ],
  }
}

export function recoveryCodesRenewedLetter(to: { ip: string }): Letter {
  return {
    subject: 'You have new recovery codes',
    paragraphs: [
      `New recovery codes were made for your account from ${to.ip}. The earlier ones no longer work.`,
      'If it was not you, reset your password now and tell your administrator.',
    ],
  }
}

export function recoveryCodeUsedLetter(to: { ip: string; left: number }): Letter {
  return {
    subject: 'A recovery code was used',
    paragraphs: [
      `A recovery code of your account was used from ${to.ip}. Codes left: ${to.left}.`,
      'If it was not you, reset your password now, make new recovery codes and tell your administrator.',
    ],
  }
}

export function magicLinkLetter(to: { ip: string; url: string; code: string }): Letter {
  return {
    subject: 'Your sign-in link',
    paragraphs: [
      `Somebody asked to sign in to your account, from ${to.ip}. If it was you, open the link in the same browser within 10 minutes, or enter the code there.`,
      'If it was not you, ignore this mail and do not share the code.',
    ],
    action: { label: 'Sign in', url: to.url },
    code: to.code,
  }
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

/** Plain text and the same as simple HTML, signed with the name of the operator's product. */
export function render({ subject, paragraphs, action, code }: Letter, product: string): Rendered {
  const text = [
    ...paragraphs,
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...(code ? [`Code: ${code}`] : []),
    product,
  ]
  const html = [
    ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    ...(action ? [`<p><a href="${escapeHtml(action.url)}">${escapeHtml(action.label)}</a></p>`] : []),
    ...(code ? [`<p>Code: <strong style="font-family:monospace">${escapeHtml(code)}</strong></p>`] : []),
    `<p>${escapeHtml(product)}</p>`,
  ]
  return {
    subject,
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><body style="font-family:sans-serif">${html.join('')}</body></html>`,
  }
}
