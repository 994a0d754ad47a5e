import type { MailMessages } from './en.ts'

export const fr: MailMessages = {
  code: 'Code : {code}',
  notYou: 'Si ce n’était pas vous, prévenez votre administrateur.',
  notYouReset:
    'Si ce n’était pas vous, réinitialisez votre mot de passe dès maintenant et prévenez votre administrateur.',
  invitation: {
    subject: 'Invitation à rejoindre {organization}',
    about: 'Vous avez été invité à rejoindre {organization}.',
    aboutBy: '{inviter} vous a invité à rejoindre {organization}.',
    lasts: {
      one: 'Le lien ci-dessous n’est destiné qu’à vous et reste valable {days} jour. Merci de ne pas le transférer.',
      other:
        'Le lien ci-dessous n’est destiné qu’à vous et reste valable {days} jours. Merci de ne pas le transférer.',
    },
    accept: 'Accepter l’invitation',
  },
  confirmation: {
    subject: 'Confirmez votre adresse e-mail',
    about: 'Quelqu’un s’est inscrit avec cette adresse sous le nom « {name} », depuis {ip}.',
    you: 'Si c’était vous, confirmez l’adresse dans les 24 heures, dans le même navigateur ou avec le mot de passe que vous avez choisi.',
    notYou: 'Si ce n’était pas vous, ignorez cet e-mail. Rien ne se passe sans votre confirmation.',
    confirm: 'Confirmer l’adresse',
  },
  passwordReset: {
    subject: 'Choisissez un nouveau mot de passe',
    about: 'Quelqu’un a demandé un nouveau mot de passe pour votre compte, depuis {ip}.',
    you: 'Si c’était vous, choisissez-en un dans les 30 minutes. Sinon, ignorez cet e-mail : votre mot de passe reste inchangé.',
    choose: 'Choisir un nouveau mot de passe',
  },
  passwordChanged: {
    subject: 'Votre mot de passe a été changé',
    reset: 'Le mot de passe de votre compte a été changé depuis {ip}. Toutes les sessions ont été fermées.',
    changed:
      'Le mot de passe de votre compte a été changé depuis {ip}. Toutes les autres sessions ont été fermées.',
  },
  identityLinked: {
    subject: 'La connexion avec {provider} a été ajoutée',
    about:
      'Vous pouvez désormais vous connecter à votre compte avec {provider}. Cet ajout a été fait depuis {ip}.',
  },
  factorAdded: {
    subject: 'Un second facteur a été ajouté à votre compte',
    totp: 'Une application d’authentification nommée « {name} » a été ajoutée à votre compte depuis {ip}. Un second facteur vous est demandé à chaque connexion.',
    passkey:
      'Une clé d’accès nommée « {name} » a été ajoutée à votre compte depuis {ip}. Un second facteur vous est demandé à chaque connexion.',
  },
  factorRemoved: {
    subject: 'Un second facteur a été supprimé de votre compte',
    totp: 'Une application d’authentification nommée « {name} » a été supprimée de votre compte depuis {ip}.',
    passkey: 'Une clé d’accès nommée « {name} » a été supprimée de votre compte depuis {ip}.',
    none: 'Votre compte n’a plus de second facteur.',
    others: 'Vos autres seconds facteurs fonctionnent toujours.',
  },
  factorsRemoved: {
    subject: 'Vos seconds facteurs ont été supprimés',
    byOperator:
      'L’exploitant du serveur a supprimé tous les seconds facteurs et codes de récupération de votre compte. Vous êtes déconnecté partout, et vous vous connecterez sans second facteur jusqu’à ce que vous en ajoutiez un.',
    byAdministrator:
      'Un administrateur de votre organisation a supprimé tous les seconds facteurs et codes de récupération de votre compte. Vous êtes déconnecté partout, et vous vous connecterez sans second facteur jusqu’à ce que vous en ajoutiez un.',
    notYou:
      'Si vous ne l’avez pas demandé, réinitialisez votre mot de passe dès maintenant et prévenez votre administrateur.',
  },
  codesRenewed: {
    subject: 'Vous avez de nouveaux codes de récupération',
    about:
      'De nouveaux codes de récupération ont été créés pour votre compte depuis {ip}. Les précédents ne fonctionnent plus.',
  },
  codeUsed: {
    subject: 'Un code de récupération a été utilisé',
    about: 'Un code de récupération de votre compte a été utilisé depuis {ip}. Codes restants : {left}.',
    notYou:
      'Si ce n’était pas vous, réinitialisez votre mot de passe dès maintenant, créez de nouveaux codes de récupération et prévenez votre administrateur.',
  },
  magicLink: {
    subject: 'Votre lien de connexion',
    about:
      'Quelqu’un a demandé à se connecter à votre compte, depuis {ip}. Si c’était vous, ouvrez le lien dans le même navigateur dans les 10 minutes, ou saisissez-y le code.',
    notYou: 'Si ce n’était pas vous, ignorez cet e-mail et ne communiquez le code à personne.',
    signIn: 'Se connecter',
  },
}
