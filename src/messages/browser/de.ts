import type { BrowserMessages } from './en.ts'

export const de: BrowserMessages = {
  fields: {
    organization: 'Geben Sie den Namen Ihrer Organisation ein.',
    firstName: 'Geben Sie Ihren Vornamen ein.',
    lastName: 'Geben Sie Ihren Nachnamen ein.',
    email: 'Geben Sie eine E-Mail-Adresse ein, etwa name@example.com.',
    password: 'Geben Sie ein Passwort mit 8 bis 256 Zeichen ein.',
    newPassword: 'Geben Sie ein Passwort mit 8 bis 256 Zeichen ein.',
    termsAccepted: 'Stimmen Sie den Nutzungsbedingungen zu, um fortzufahren.',
    code: 'Geben Sie den Code aus der E-Mail ein.',
    totp: 'Geben Sie die sechs Ziffern ein, die Ihre App zeigt.',
    recoveryCode: 'Geben Sie einen Ihrer Wiederherstellungscodes ein.',
    shown: 'Geben Sie einen Code ein.',
    userCode: 'Geben Sie den Code ein, den das Gerät zeigt.',
    name: 'Geben Sie eine Domain wie beispiel.de ein.',
    'oidc.issuer': 'Geben Sie den Aussteller ein; er beginnt mit https://.',
    'oidc.clientId': 'Geben Sie die Client-ID ein.',
    'oidc.clientSecret': 'Geben Sie das Client-Secret ein.',
    'saml.metadata': 'Fügen Sie die Metadaten Ihres Providers ein.',
  },
  anyField: 'Prüfen Sie dieses Feld.',
  reasons: {
    organization_sign_in_required:
      'Diese Organisation nimmt nur ihre eigene Anmeldung. Wählen Sie „Über Ihre Organisation anmelden“.',
    no_identity_provider:
      'Keine Organisation mit eigener Anmeldung hat diese Adresse. Melden Sie sich anders an.',
    name_taken: 'Dieser Name ist vergeben. Wählen Sie einen anderen.',
    password_too_common: 'Dieses Passwort ist zu verbreitet. Wählen Sie ein anderes.',
    another_password: 'Das ist nicht das Passwort, das Sie bei der Registrierung gewählt haben.',
    invitation_required:
      'Für diese Adresse gibt es keine offene Einladung. Wenn Sie ein Konto haben, melden Sie sich an; bitten Sie sonst die Person, die Sie eingeladen hat, um eine neue.',
    wrong_factor:
      'Das hat nicht gestimmt. Ein Code gilt einmal: Warten Sie auf den nächsten, oder verwenden Sie einen Wiederherstellungscode.',
    wrong_code: 'Das hat nicht gestimmt. Warten Sie auf den nächsten Code und geben Sie diesen ein.',
    no_pending_sign_in:
      'Das hat zu lange gedauert, oder es waren zu viele Versuche. Melden Sie sich noch einmal an.',
    too_many_factors:
      'Sie haben so viele zweite Faktoren, wie ein Konto haben darf. Entfernen Sie zuerst einen.',
    new_sign_in_required:
      'Die Anwendung verlangt eine neue Anmeldung. Melden Sie sich ab und wieder an, und beginnen Sie noch einmal.',
    cross_site:
      'Diese Seite wurde von einer anderen Website aus geöffnet. Öffnen Sie sie unter ihrer üblichen Adresse.',
    not_a_domain: 'Das ist kein Name einer Domain.',
    proven_elsewhere: 'Eine andere Organisation hat diese Domain nachgewiesen.',
    too_many_domains: 'Mit diesem Link lassen sich keine weiteren Domains hinzufügen.',
    not_https: 'Die Adresse muss mit https:// beginnen.',
    shared_issuer: 'Dieser Aussteller ist für alle da. Geben Sie den Ihres eigenen Mandanten ein.',
    blocked_address: 'Diese Adresse kann von hier nicht aufgerufen werden.',
    changed_elsewhere:
      'Der Provider ist eingeschaltet oder wurde von der Organisation geändert. Hier lässt er sich nicht mehr ändern.',
    key_changed_elsewhere:
      'Die Organisation hat das Token geändert oder gelöscht. Hier lässt sich kein weiteres mehr erstellen.',
    another_setup:
      'In diesem Browser ist eine andere Einrichtung offen. Schließen Sie diese zuerst ab, oder öffnen Sie den Link in einem anderen Browser.',
  },
  codes: {
    OFFLINE: 'Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
    PASSKEY_NOT_SHOWN:
      'Es wurde kein Passkey gezeigt. Versuchen Sie es erneut, oder melden Sie sich anders an.',
    PASSKEY_THERE: 'Auf diesem Gerät gibt es bereits einen Passkey für Ihr Konto.',
    UNAUTHORIZED: 'Das hat nicht gestimmt. Prüfen Sie Ihre Eingabe und versuchen Sie es erneut.',
    FORBIDDEN: 'Dazu haben Sie nicht das Recht. Wenden Sie sich an Ihre Administration.',
    MISSING_REQUIRED_FIELD: 'Es fehlt noch etwas.',
    ENTITY_NOT_FOUND: 'Das gibt es nicht mehr.',
    INTEGRATION_PROVIDER_ERROR:
      'Der Anbieter war nicht erreichbar. Versuchen Sie es gleich noch einmal, oder melden Sie sich anders an.',
  },
  tooManyTries: 'Zu viele Versuche. Versuchen Sie es gleich noch einmal.',
  tooManyTriesUntil: 'Zu viele Versuche. Versuchen Sie es {when} erneut.',
  ourFault: 'Auf unserer Seite ist etwas schiefgegangen. Versuchen Sie es gleich noch einmal.',
  ourFaultNumber:
    'Auf unserer Seite ist etwas schiefgegangen. Versuchen Sie es gleich noch einmal. Wenn es wieder geschieht, nennen Sie Ihrer Administration diese Nummer: {number}',
  oneMoment: 'Einen Moment…',
  pleaseCheck: 'Bitte prüfen Sie:',
  roles: { administrator: 'Administrator', member: 'Mitglied' },
  disabled: 'Gesperrt',
  signIn: {
    wrongPassword:
      'Adresse oder Passwort stimmt nicht. Prüfen Sie beides, oder fordern Sie einen Anmeldelink an. Warten Sie nach mehreren Versuchen eine Weile.',
    wrongCode: 'Der Code ist falsch oder abgelaufen. Prüfen Sie ihn, oder fordern Sie einen neuen an.',
    wrongLinkCode:
      'Der Code ist falsch oder abgelaufen. Prüfen Sie ihn, oder fordern Sie einen neuen Link an.',
    wrongPasskey:
      'Mit diesem Passkey kommen Sie hier nicht herein. Versuchen Sie einen anderen, oder melden Sie sich anders an.',
    noInvitation:
      'Für dieses Konto gibt es keine offene Einladung. Verwenden Sie den Link in Ihrer Einladung oder ein anderes Konto.',
    notCompleted:
      'Die Anmeldung wurde nicht abgeschlossen. Versuchen Sie es erneut, oder melden Sie sich anders an.',
  },
  consent: {
    errors: {
      invalid_client: 'Die Anwendung ist hier nicht bekannt.',
      invalid_redirect_uri: 'Die Anwendung wollte Sie zu einer Adresse leiten, die nicht ihre eigene ist.',
      invalid_request: 'Die Anwendung hat auf eine Weise gefragt, die dieser Server nicht annimmt.',
      access_denied: 'Die Anfrage wurde abgelehnt.',
    },
    lasts: 'Sie bleibt verbunden, bis Sie das beenden, längstens ein Jahr.',
    lastsWhileSignedIn: 'Sie bleibt verbunden, bis Sie sich abmelden.',
    learnsName: 'Sie erfährt Ihren Namen.',
    learnsEmail: 'Sie erfährt Ihre E-Mail-Adresse.',
    learnsBoth: 'Sie erfährt Ihren Namen und Ihre E-Mail-Adresse.',
  },
  changeEmail: {
    taken:
      'Diese Adresse hat inzwischen ein eigenes Konto. Lehnen Sie die Änderung ab und melden Sie sich damit an.',
  },
  device: {
    gone: 'Kein Gerät wartet mit diesem Code. Vergleichen Sie ihn mit dem, den das Gerät zeigt, oder beginnen Sie dort noch einmal.',
    tooManyCodes: 'Das waren zu viele Codes. Warten Sie zehn Minuten.',
    noProgram: 'Keine Angabe',
    justNow: 'Vor weniger als einer Minute',
  },
  setUp: {
    stage: '{organization}: Schritt {number} von {of}',
    back: 'Zurück',
    kinds: {
      oidc: 'Über OpenID Connect',
      saml: 'Über SAML 2.0',
    },
    stages: {
      domains: 'Nachweis der Domains',
      provider: 'Identity-Provider',
      directory: 'Verzeichnis',
    },
    done: 'erledigt',
    open: 'noch offen',
    domains: {
      pending: 'noch nicht nachgewiesen',
      verified: 'nachgewiesen',
      no_record: 'Der Eintrag ist noch nicht da.',
      other_value: 'Dort steht ein anderer Eintrag.',
      no_answer: 'Die Nameserver antworten nicht.',
    },
    record: {
      type: 'Typ',
      name: 'Eintrag',
      value: 'Wert',
    },
    checkNow: '{name} jetzt prüfen',
    untested: 'Er wurde noch nicht ausprobiert.',
    failed: 'Die Anmeldung ging nicht: {reason}',
    works: 'Die Anmeldung geht.',
    addresses: {
      not_proven:
        'Die Domain Ihrer Adresse ist nicht nachgewiesen: Ihre Leute können sich noch nicht anmelden.',
      none: 'Der Provider nannte keine E-Mail-Adresse.',
    },
    enabled: 'Er ist eingeschaltet.',
    waits: 'Die Organisation muss ihn noch einschalten.',
  },
  permissions: {
    'organization:read': 'Namen und Tarif der Organisation lesen.',
    'organization:write': 'Die Organisation umbenennen.',
    'members:read': 'Mitglieder auflisten, und Konten und Schlüssel in Aufzeichnungen benennen.',
    'members:write': 'Rollen von Mitgliedern ändern und Mitglieder entfernen.',
    'invitations:read': 'Einladungen lesen.',
    'invitations:write': 'Personen einladen; Einladungen erneut senden und zurückziehen.',
    'roles:read': 'Rollen auflisten, mit dem, was jede erlaubt.',
    'roles:write':
      'Rollen anlegen, ändern und löschen, die nicht mehr erlauben, als die anfragende Person darf.',
    'sign_in:read': 'Die Domains und Identitätsanbieter der Organisation lesen, und wie sie bereitstellt.',
    'sign_in:write':
      'Domains beanspruchen, nachweisen und aufgeben; Identitätsanbieter anlegen, ändern und löschen; festlegen, welche Gruppen welche Rollen geben.',
    'scim:write': 'Benutzer und Gruppen per SCIM bereitstellen.',
    'mails:read': 'Lesen, welche E-Mails gesendet wurden und welche nicht.',
    'keys:read': 'Dienstkonten und API-Schlüssel mit ihren Namen lesen.',
    'keys:write': 'Dienstkonten und API-Schlüssel anlegen, ändern und löschen.',
    'audit:read': 'Das Audit-Protokoll lesen.',
    'billing:read': 'Tarife, Guthaben, Buchungen und Bestellungen lesen.',
    'billing:write': 'Tarife und Guthaben kaufen.',
    'events:read': 'Ereignisse lesen.',
    'events:write': 'Ereignisse veröffentlichen.',
    'event_types:read': 'Ereignistypen und ihre Schemas lesen.',
    'event_types:write': 'Ereignistypen registrieren, ändern und löschen.',
    'webhooks:read': 'Webhooks und ihre Zahlen lesen.',
    'webhooks:write': 'Webhooks anlegen, ändern, testen und löschen und ihre Geheimnisse wechseln.',
    'deliveries:read': 'Zustellungen, ihre Versuche und Zahlen sowie Wiederholungen lesen.',
    'deliveries:write': 'Zustellungen erneut versuchen; Wiederholungen beginnen und beenden.',
    'captures:read': 'Aufgezeichnete Aufrufe lesen.',
    'captures:write': 'Aufrufe an einen Webhook aufzeichnen und aufgezeichnete zustellen.',
    'connections:read': 'Verbindungen und Anbieter lesen.',
    'connections:write': 'Konten bei Anbietern verbinden; Verbindungen erneuern und löschen.',
    'connections:use': 'Anbieter mit den Tokens von Verbindungen aufrufen.',
    'files:read': 'Dateien, ihre Bytes und ihren Text lesen.',
    'files:write': 'Dateien hochladen, abrufen und verarbeiten und eigene löschen.',
    'files:all': 'Zusammen mit `files:write` auch Dateien anderer löschen.',
    'knowledge:read': 'Wissensbasen und ihre Dokumente lesen und durchsuchen.',
    'knowledge:write': 'Wissensbasen anlegen, ändern und löschen.',
    'documents:write': 'Dokumente hinzufügen, ersetzen, indexieren und löschen.',
    'agents:read': 'Agenten, ihre Versionen und Modelle lesen.',
    'agents:write': 'Agenten anlegen, ändern und löschen.',
    'mcp_servers:read': 'MCP-Server und ihre Werkzeuge lesen.',
    'mcp_servers:write': 'MCP-Server registrieren, ändern, erneuern und löschen.',
    'runs:read': 'Eigene Läufe, ihre Schritte und Ereignisse lesen.',
    'runs:write': 'Läufe starten und ihre Ausgabe erhalten; eigene abbrechen und fortsetzen.',
    'runs:all': 'Auch Läufe anderer, soweit die übrigen Rechte für Läufe und Freigaben reichen.',
    'approvals:write':
      'Aufrufe von Werkzeugen freigeben und ablehnen, wo das Werkzeug einen Schlüssel entscheiden lässt.',
    'conversations:read': 'Eigene Unterhaltungen lesen.',
    'conversations:write': 'Eigene Unterhaltungen beginnen und löschen und darin Läufe starten.',
    'conversations:all': 'Auch Unterhaltungen anderer, soweit die übrigen Rechte für Unterhaltungen reichen.',
  },
  factors: {
    requiredNow: 'ab sofort verlangt',
    requiredFrom: 'verlangt ab {date}',
    totp: 'Authenticator-App',
    passkey: 'Passkey',
    remove: 'Entfernen',
    removeNamed: '{name} entfernen',
  },
}
