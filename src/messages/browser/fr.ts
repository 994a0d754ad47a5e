import type { BrowserMessages } from './en.ts'

export const fr: BrowserMessages = {
  fields: {
    organization: 'Saisissez le nom de votre organisation.',
    firstName: 'Saisissez votre prénom.',
    lastName: 'Saisissez votre nom.',
    email: 'Saisissez une adresse e-mail, par exemple nom@example.com.',
    password: 'Saisissez un mot de passe de 8 à 256 caractères.',
    newPassword: 'Saisissez un mot de passe de 8 à 256 caractères.',
    termsAccepted: 'Acceptez les conditions d’utilisation pour continuer.',
    code: 'Saisissez le code de l’e-mail.',
    totp: 'Saisissez les six chiffres affichés par votre application.',
    recoveryCode: 'Saisissez l’un de vos codes de récupération.',
    shown: 'Saisissez un code.',
    userCode: 'Saisissez le code affiché par l’appareil.',
    name: 'Saisissez un domaine, comme exemple.fr.',
    'oidc.issuer': 'Saisissez l’émetteur, qui commence par https://.',
    'oidc.clientId': 'Saisissez l’ID client.',
    'oidc.clientSecret': 'Saisissez le secret client.',
    'saml.metadata': 'Collez les métadonnées de votre fournisseur.',
  },
  anyField: 'Vérifiez ce champ.',
  reasons: {
    organization_sign_in_required:
      'Cette organisation n’accepte que sa propre connexion. Choisissez « Se connecter avec votre organisation ».',
    no_identity_provider:
      'Aucune organisation ayant sa propre connexion n’a cette adresse. Connectez-vous autrement.',
    name_taken: 'Ce nom est déjà pris. Choisissez-en un autre.',
    password_too_common: 'Ce mot de passe est trop courant. Choisissez-en un autre.',
    another_password: 'Ce n’est pas le mot de passe que vous avez choisi lors de l’inscription.',
    invitation_required:
      'Il n’y a pas d’invitation en cours pour cette adresse. Si vous avez un compte, connectez-vous ; sinon, demandez une nouvelle invitation à la personne qui vous a invité.',
    wrong_factor:
      'Cela ne correspond pas. Un code ne sert qu’une fois : attendez le suivant ou utilisez un code de récupération.',
    wrong_code: 'Cela ne correspond pas. Attendez le code suivant et saisissez-le.',
    no_pending_sign_in: 'Le délai est dépassé, ou il y a eu trop d’essais. Connectez-vous de nouveau.',
    too_many_factors:
      'Vous avez autant de seconds facteurs qu’un compte peut en avoir. Supprimez-en d’abord un.',
    new_sign_in_required:
      'L’application demande une nouvelle connexion. Déconnectez-vous, reconnectez-vous, puis recommencez.',
    cross_site: 'Cette page a été ouverte depuis un autre site. Ouvrez-la à son adresse habituelle.',
    not_a_domain: 'Ce n’est pas un nom de domaine.',
    proven_elsewhere: 'Une autre organisation a prouvé ce domaine.',
    too_many_domains: 'Ce lien ne permet plus d’ajouter de domaine.',
    not_https: 'L’adresse doit commencer par https://.',
    shared_issuer: 'Cet émetteur sert tout le monde. Saisissez celui de votre propre locataire.',
    blocked_address: 'Cette adresse ne peut pas être appelée d’ici.',
    changed_elsewhere:
      'Le fournisseur est activé, ou un administrateur l’a modifié. Il ne peut plus être modifié ici.',
    key_changed_elsewhere:
      'Un administrateur a modifié ou supprimé le jeton. Il n’est plus possible d’en créer un autre ici.',
    another_setup:
      'Une autre configuration est ouverte dans ce navigateur. Terminez-la d’abord, ou ouvrez le lien dans un autre navigateur.',
  },
  codes: {
    OFFLINE: 'Le serveur est injoignable. Vérifiez votre connexion et réessayez.',
    PASSKEY_NOT_SHOWN: 'Aucune clé d’accès n’a été présentée. Réessayez ou connectez-vous autrement.',
    PASSKEY_THERE: 'Cet appareil possède déjà une clé d’accès pour votre compte.',
    UNAUTHORIZED: 'Cela ne correspond pas. Vérifiez votre saisie et réessayez.',
    FORBIDDEN: 'Vous n’avez pas le droit de faire cela. Adressez-vous à votre administrateur.',
    MISSING_REQUIRED_FIELD: 'Il manque quelque chose.',
    ENTITY_NOT_FOUND: 'Cet élément n’existe plus.',
    INTEGRATION_PROVIDER_ERROR:
      'Le fournisseur est injoignable. Réessayez dans un instant ou connectez-vous autrement.',
  },
  tooManyTries: 'Trop d’essais pour le moment. Réessayez dans un instant.',
  tooManyTriesUntil: 'Trop d’essais pour le moment. Réessayez {when}.',
  ourFault: 'Une erreur s’est produite de notre côté. Réessayez dans un instant.',
  ourFaultNumber:
    'Une erreur s’est produite de notre côté. Réessayez dans un instant. Si elle se reproduit, communiquez ce numéro à votre administrateur : {number}',
  oneMoment: 'Un instant…',
  pleaseCheck: 'Veuillez vérifier :',
  roles: { administrator: 'Administrateur', member: 'Membre' },
  disabled: 'Désactivée',
  signIn: {
    wrongPassword:
      'Adresse ou mot de passe incorrect. Vérifiez les deux ou demandez un lien de connexion. Après plusieurs essais, patientez un peu.',
    wrongCode: 'Le code est incorrect ou a expiré. Vérifiez-le ou demandez-en un nouveau.',
    wrongLinkCode: 'Le code est incorrect ou a expiré. Vérifiez-le ou demandez un nouveau lien.',
    wrongPasskey:
      'Cette clé d’accès ne vous laisse pas entrer ici. Essayez-en une autre ou connectez-vous autrement.',
    noInvitation:
      'Ce compte n’a pas d’invitation en cours. Utilisez le lien de votre invitation ou un autre compte.',
    notCompleted: 'La connexion n’a pas abouti. Réessayez ou connectez-vous autrement.',
  },
  consent: {
    errors: {
      invalid_client: 'L’application n’est pas connue ici.',
      invalid_redirect_uri: 'L’application a voulu vous envoyer à une adresse qui n’est pas la sienne.',
      invalid_request: 'L’application a fait une demande que ce serveur n’accepte pas.',
      access_denied: 'La demande a été refusée.',
    },
    lasts: 'Elle reste connectée jusqu’à ce que vous y mettiez fin, un an au plus.',
    lastsWhileSignedIn: 'Elle reste connectée jusqu’à votre déconnexion.',
    learnsName: 'Elle connaîtra votre nom.',
    learnsEmail: 'Elle connaîtra votre adresse e-mail.',
    learnsBoth: 'Elle connaîtra votre nom et votre adresse e-mail.',
  },
  changeEmail: {
    taken:
      'Cette adresse a maintenant son propre compte. Refusez le changement et connectez-vous avec celui-ci.',
  },
  device: {
    gone: 'Aucun appareil n’attend avec ce code. Comparez-le avec celui que l’appareil affiche, ou recommencez sur l’appareil.',
    tooManyCodes: 'Trop de codes ont été essayés. Attendez dix minutes.',
    noProgram: 'Non précisé',
    justNow: 'Il y a moins d’une minute',
  },
  setUp: {
    stage: '{organization} : étape {number} sur {of}',
    back: 'Retour',
    kinds: {
      oidc: 'Avec OpenID Connect',
      saml: 'Avec SAML 2.0',
    },
    stages: {
      domains: 'Domaines',
      provider: 'Fournisseur d’identité',
      directory: 'Annuaire',
    },
    done: 'fait',
    open: 'à faire',
    domains: {
      pending: 'pas encore prouvé',
      verified: 'prouvé',
      no_record: 'L’enregistrement n’y est pas encore.',
      other_value: 'Un autre enregistrement s’y trouve.',
      no_answer: 'Les serveurs de noms ne répondent pas.',
    },
    record: {
      type: 'Genre',
      name: 'Nom',
      value: 'Valeur',
    },
    checkNow: 'Vérifier {name}',
    untested: 'Il n’a pas encore été essayé.',
    failed: 'La connexion n’a pas marché : {reason}',
    works: 'La connexion marche.',
    addresses: {
      not_proven:
        'Le domaine de votre adresse n’est pas prouvé : vos membres ne peuvent pas encore se connecter.',
      none: 'Le fournisseur n’a donné aucune adresse e-mail.',
    },
    enabled: 'Il est activé.',
    waits: 'Un administrateur doit l’activer.',
  },
  permissions: {
    'organization:read': 'Lire le nom et l’offre de l’organisation.',
    'organization:write': 'Renommer l’organisation.',
    'members:read': 'Lister les membres, et nommer les comptes et clés dans les enregistrements.',
    'members:write': 'Changer le rôle des membres et retirer des membres.',
    'invitations:read': 'Lire les invitations.',
    'invitations:write': 'Inviter des personnes ; renvoyer et révoquer des invitations.',
    'roles:read': 'Lister les rôles, avec ce que chacun permet.',
    'roles:write':
      'Créer, modifier et supprimer des rôles qui ne permettent pas plus que ce que peut l’appelant.',
    'sign_in:read':
      'Lire les domaines et les fournisseurs d’identité de l’organisation, et son approvisionnement.',
    'sign_in:write':
      'Revendiquer, prouver et abandonner des domaines ; créer, modifier et supprimer des fournisseurs d’identité ; dire quels groupes donnent quels rôles.',
    'scim:write': 'Approvisionner les utilisateurs et les groupes par SCIM.',
    'mails:read': 'Lire quels e-mails sont partis et lesquels ne le sont pas.',
    'keys:read': 'Lire les comptes de service et les clés d’API, avec leurs noms.',
    'keys:write': 'Créer, modifier et supprimer des comptes de service et des clés d’API.',
    'audit:read': 'Lire le journal d’audit.',
    'billing:read': 'Lire les offres, le solde, les écritures et les commandes.',
    'billing:write': 'Acheter des offres et des crédits.',
    'events:read': 'Lire les événements.',
    'events:write': 'Publier des événements.',
    'event_types:read': 'Lire les types d’événements et leurs schémas.',
    'event_types:write': 'Enregistrer, modifier et supprimer des types d’événements.',
    'webhooks:read': 'Lire les webhooks et leurs chiffres.',
    'webhooks:write': 'Créer, modifier, tester et supprimer des webhooks, et renouveler leurs secrets.',
    'deliveries:read': 'Lire les livraisons, leurs tentatives et chiffres, et les rejeux.',
    'deliveries:write': 'Retenter des livraisons ; lancer et arrêter des rejeux.',
    'captures:read': 'Lire les appels capturés.',
    'captures:write': 'Capturer des appels à un webhook et livrer ceux qui ont été capturés.',
    'connections:read': 'Lire les connexions et les fournisseurs.',
    'connections:write':
      'Connecter des comptes chez des fournisseurs ; renouveler et supprimer des connexions.',
    'connections:use': 'Appeler des fournisseurs avec les jetons des connexions.',
    'files:read': 'Lire les fichiers, leurs octets et leur texte.',
    'files:write': 'Envoyer, récupérer et traiter des fichiers, et supprimer les siens.',
    'files:all': 'Supprimer aussi les fichiers des autres, avec `files:write`.',
    'knowledge:read': 'Lire et parcourir les bases de connaissances et leurs documents.',
    'knowledge:write': 'Créer, modifier et supprimer des bases de connaissances.',
    'documents:write': 'Ajouter, remplacer, indexer et supprimer des documents.',
    'agents:read': 'Lire les agents, leurs versions et leurs modèles.',
    'agents:write': 'Créer, modifier et supprimer des agents.',
    'mcp_servers:read': 'Lire les serveurs MCP et leurs outils.',
    'mcp_servers:write': 'Enregistrer, modifier, actualiser et supprimer des serveurs MCP.',
    'runs:read': 'Lire ses exécutions, leurs étapes et leurs événements.',
    'runs:write': 'Lancer des exécutions et en recevoir le résultat ; annuler et reprendre les siennes.',
    'runs:all':
      'Aussi les exécutions des autres, dans la limite des autres droits sur les exécutions et approbations.',
    'approvals:write': 'Approuver et refuser des appels d’outils, lorsque l’outil laisse une clé décider.',
    'conversations:read': 'Lire ses conversations.',
    'conversations:write': 'Commencer et supprimer ses conversations, et y lancer des exécutions.',
    'conversations:all':
      'Aussi les conversations des autres, dans la limite des autres droits sur les conversations.',
  },
  factors: {
    requiredNow: 'exigé dès maintenant',
    requiredFrom: 'exigé à partir du {date}',
    totp: 'Application d’authentification',
    passkey: 'Clé d’accès',
    remove: 'Supprimer',
    removeNamed: 'Supprimer {name}',
  },
}
