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
  setup: {
    subject: 'Configurez la connexion de {organization}',
    about:
      'Un administrateur de {organization} vous demande de configurer la connexion de ses membres. Vous n’avez pas besoin de compte.',
    lasts: {
      one: 'Le lien ci-dessous reste valable {days} jour, dans le navigateur qui l’ouvre en premier. Merci de ne pas le transférer : qui l’ouvre peut tout configurer.',
      other:
        'Le lien ci-dessous reste valable {days} jours, dans le navigateur qui l’ouvre en premier. Merci de ne pas le transférer : qui l’ouvre peut tout configurer.',
    },
    open: 'Ouvrir la configuration',
  },
  setupOpened: {
    subject: 'Le lien de configuration pour {name} a été ouvert',
    about:
      'Il a été ouvert depuis {ip}. La connexion de {organization} se configure désormais dans ce navigateur uniquement.',
    notYou:
      'Si vous ne savez pas qui l’a fait, révoquez le lien : dans la console, sous « Identity providers ».',
  },
  setupFinished: {
    subject: 'La configuration par le lien pour {name} est terminée',
    about: 'La connexion de {organization} a été configurée par le lien pour {name}, qui n’est plus valable.',
    review:
      'Vérifiez ce qui a été configuré. Un fournisseur d’identité désactivé ne laisse entrer personne tant qu’un administrateur ne l’a pas activé.',
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
  emailProof: {
    subject: 'Confirmez votre nouvelle adresse e-mail',
    byPerson: 'Il a été demandé, depuis {ip}, de passer un compte à cette adresse.',
    byOperator: 'L’exploitant du serveur a commencé à passer votre compte à cette adresse.',
    you: 'Confirmez-la dans les 24 heures. Si vous l’avez demandé vous-même, faites-le dans un navigateur où vous êtes connecté.',
    notYou:
      'Si ce n’était pas vous, ignorez cet e-mail ou refusez le changement. Rien ne se passe sans votre confirmation.',
    open: 'Ouvrir le changement',
  },
  emailTaken: {
    subject: 'Votre adresse a été indiquée pour un autre compte',
    about: 'Quelqu’un a demandé, depuis {ip}, d’utiliser cette adresse pour un autre compte.',
    you: 'Elle a déjà un compte, donc rien ne change. Si c’était vous, connectez-vous avec cette adresse.',
  },
  emailApproval: {
    subject: 'Approuvez le changement de votre adresse e-mail',
    byPerson: 'Il a été demandé, depuis {ip}, de passer votre compte à {email}.',
    byOperator:
      'L’exploitant du serveur a commencé à passer votre compte à {email}, au cas où vous ne liriez plus cette adresse.',
    approve:
      'Si c’était vous, approuvez-le dans les 24 heures, dans un navigateur où vous êtes connecté. La nouvelle adresse doit être confirmée elle aussi.',
    notYou:
      'Si ce n’était pas vous, refusez-le, réinitialisez votre mot de passe et prévenez votre administrateur : quelqu’un a utilisé votre compte.',
    notYouOperator: 'Si vous ne l’avez pas demandé, refusez-le maintenant et prévenez votre administrateur.',
    open: 'Ouvrir le changement',
  },
  emailChanged: {
    subject: 'Votre adresse e-mail a été changée',
    byPerson: 'Votre compte a maintenant l’adresse {email}. Le changement a été achevé depuis {ip}.',
    byOperator:
      'Votre compte a maintenant l’adresse {email}. L’exploitant du serveur a commencé ce changement.',
    ended:
      'Cette adresse ne vous connecte plus, ni par mot de passe ni par un fournisseur. Vos autres sessions ont été déconnectées.',
    notYou:
      'Si ce n’était pas vous, prévenez tout de suite votre administrateur : cette adresse ne peut plus réinitialiser le mot de passe.',
  },
  magicLink: {
    subject: 'Votre lien de connexion',
    about:
      'Quelqu’un a demandé à se connecter à votre compte, depuis {ip}. Si c’était vous, ouvrez le lien dans le même navigateur dans les 10 minutes, ou saisissez-y le code.',
    notYou: 'Si ce n’était pas vous, ignorez cet e-mail et ne communiquez le code à personne.',
    signIn: 'Se connecter',
  },
}
