import type { Translated } from '../../core/text/message.ts'

/** What mails say. A mail is plain text: `<name>` has no meaning in it. */
export const en = {
  code: 'Code: {code}',
  notYou: 'If it was not you, tell your administrator.',
  notYouReset: 'If it was not you, reset your password now and tell your administrator.',
  invitation: {
    subject: 'You are invited to {organization}',
    about: 'You have been invited to join {organization}.',
    aboutBy: 'You have been invited by {inviter} to join {organization}.',
    lasts: {
      one: 'The link below is for you only and works for {days} day. Please do not forward it.',
      other: 'The link below is for you only and works for {days} days. Please do not forward it.',
    },
    accept: 'Accept the invitation',
  },
  setup: {
    subject: 'Set up the sign-in of {organization}',
    about:
      'An administrator of {organization} asks you to set up how its people sign in. You need no account for that.',
    lasts: {
      one: 'The link below works for {days} day, in the browser that opens it first. Please do not forward it: who opens it can do the setup.',
      other:
        'The link below works for {days} days, in the browser that opens it first. Please do not forward it: who opens it can do the setup.',
    },
    open: 'Open the setup',
  },
  setupOpened: {
    subject: 'The setup link for {name} was opened',
    about: 'It was opened from {ip}, and sets up the sign-in of {organization} in that browser alone.',
    notYou: 'If you do not know who did this, revoke the link: under Identity providers in the console.',
  },
  setupFinished: {
    subject: 'The setup by the link for {name} is finished',
    about: 'The sign-in of {organization} was set up by the link for {name}, which has ended with that.',
    review:
      'Look at what was set up. An identity provider that is disabled lets nobody in before an administrator enables it.',
  },
  confirmation: {
    subject: 'Confirm your e-mail address',
    about: 'Somebody signed up with this address as "{name}", from {ip}.',
    you: 'If it was you, confirm the address within 24 hours, in the same browser or with the password that you chose.',
    notYou: 'If it was not you, ignore this mail. Nothing happens without your confirmation.',
    confirm: 'Confirm the address',
  },
  passwordReset: {
    subject: 'Choose a new password',
    about: 'Somebody asked for a new password for your account, from {ip}.',
    you: 'If it was you, choose one within 30 minutes. If it was not you, ignore this mail. Your password stays the same.',
    choose: 'Choose a new password',
  },
  passwordChanged: {
    subject: 'Your password was changed',
    reset: 'The password of your account was changed from {ip}. This signed out every session.',
    changed: 'The password of your account was changed from {ip}. This signed out every other session.',
  },
  identityLinked: {
    subject: 'Sign-in with {provider} was added',
    about: 'You can now sign in to your account with {provider}. This was added from {ip}.',
  },
  factorAdded: {
    subject: 'A second factor was added to your account',
    totp: 'An authenticator app, called "{name}", was added to your account from {ip}. You are asked for a second factor at every sign-in.',
    passkey:
      'A passkey, called "{name}", was added to your account from {ip}. You are asked for a second factor at every sign-in.',
  },
  factorRemoved: {
    subject: 'A second factor was removed from your account',
    totp: 'An authenticator app, called "{name}", was removed from your account from {ip}.',
    passkey: 'A passkey, called "{name}", was removed from your account from {ip}.',
    none: 'Your account has no second factor any more.',
    others: 'Your other second factors still work.',
  },
  factorsRemoved: {
    subject: 'Your second factors were removed',
    byOperator:
      'All second factors and recovery codes of your account were removed by the operator of the server. You are signed out everywhere, and sign in without a second factor until you add one.',
    byAdministrator:
      'All second factors and recovery codes of your account were removed by an administrator of your organization. You are signed out everywhere, and sign in without a second factor until you add one.',
    notYou: 'If you did not ask for this, reset your password now and tell your administrator.',
  },
  codesRenewed: {
    subject: 'You have new recovery codes',
    about: 'New recovery codes were made for your account from {ip}. The earlier ones no longer work.',
  },
  codeUsed: {
    subject: 'A recovery code was used',
    about: 'A recovery code of your account was used from {ip}. Codes left: {left}.',
    notYou:
      'If it was not you, reset your password now, make new recovery codes and tell your administrator.',
  },
  emailProof: {
    subject: 'Confirm your new e-mail address',
    byPerson: 'A change of an account to this address was asked for from {ip}.',
    byOperator: 'The operator of the server began a change of your account to this address.',
    you: 'Confirm it within 24 hours. Where you asked yourself, do so in a browser in which you are signed in.',
    notYou:
      'If it was not you, ignore this mail or refuse the change. Nothing happens without your confirmation.',
    open: 'Open the change',
  },
  emailTaken: {
    subject: 'Your address was named for another account',
    about: 'Somebody asked, from {ip}, to use this address for another account.',
    you: 'It has an account already, so nothing changes. If it was you, sign in with this address.',
  },
  emailApproval: {
    subject: 'Approve the change of your e-mail address',
    byPerson: 'A change of your account to {email} was asked for from {ip}.',
    byOperator:
      'The operator of the server began a change of your account to {email}, in case you no longer read this address.',
    approve:
      'If it was you, approve it within 24 hours, in a browser in which you are signed in. The new address must be confirmed, too.',
    notYou:
      'If it was not you, refuse it, then reset your password and tell your administrator: somebody has used your account.',
    notYouOperator: 'If you did not ask for this, refuse it now and tell your administrator.',
    open: 'Open the change',
  },
  emailChanged: {
    subject: 'Your e-mail address was changed',
    byPerson: 'Your account has the address {email} now. The change was completed from {ip}.',
    byOperator: 'Your account has the address {email} now. The operator of the server began the change.',
    ended:
      'This address no longer signs you in, neither with a password nor with a provider. Your other sessions were signed out.',
    notYou: 'If it was not you, tell your administrator now: this address can no longer reset the password.',
  },
  magicLink: {
    subject: 'Your sign-in link',
    about:
      'Somebody asked to sign in to your account, from {ip}. If it was you, open the link in the same browser within 10 minutes, or enter the code there.',
    notYou: 'If it was not you, ignore this mail and do not share the code.',
    signIn: 'Sign in',
  },
} as const

/** What every language says here. */
export type MailMessages = Translated<typeof en>
