import type { MailMessages } from './en.ts'

export const de: MailMessages = {
  code: 'Code: {code}',
  notYou: 'Wenn Sie das nicht waren, wenden Sie sich an Ihre Administration.',
  notYouReset:
    'Wenn Sie das nicht waren, setzen Sie jetzt Ihr Passwort zurück und wenden Sie sich an Ihre Administration.',
  invitation: {
    subject: 'Einladung zu {organization}',
    about: 'Sie sind eingeladen, {organization} beizutreten.',
    aboutBy: '{inviter} hat Sie eingeladen, {organization} beizutreten.',
    lasts: {
      one: 'Der Link unten ist nur für Sie bestimmt und {days} Tag lang gültig. Bitte leiten Sie ihn nicht weiter.',
      other:
        'Der Link unten ist nur für Sie bestimmt und {days} Tage lang gültig. Bitte leiten Sie ihn nicht weiter.',
    },
    accept: 'Einladung annehmen',
  },
  setup: {
    subject: 'Anmeldung von {organization} einrichten',
    about:
      '{organization} bittet Sie, die Anmeldung der eigenen Leute einzurichten. Sie brauchen dafür kein Konto.',
    lasts: {
      one: 'Der Link unten gilt {days} Tag lang, in dem Browser, der ihn zuerst öffnet. Bitte leiten Sie ihn nicht weiter: Wer ihn öffnet, kann alles einrichten.',
      other:
        'Der Link unten gilt {days} Tage lang, in dem Browser, der ihn zuerst öffnet. Bitte leiten Sie ihn nicht weiter: Wer ihn öffnet, kann alles einrichten.',
    },
    open: 'Einrichtung öffnen',
  },
  setupOpened: {
    subject: 'Der Einrichtungslink für {name} wurde geöffnet',
    about:
      'Er wurde von {ip} geöffnet. Nur in diesem Browser wird nun die Anmeldung von {organization} eingerichtet.',
    notYou:
      'Wenn Sie nicht wissen, wer das war, widerrufen Sie den Link: in der Konsole unter „Identity providers“.',
  },
  setupFinished: {
    subject: 'Die Einrichtung mit dem Link für {name} ist abgeschlossen',
    about:
      'Die Anmeldung von {organization} wurde mit dem Link für {name} eingerichtet, der damit abgelaufen ist.',
    review:
      'Sehen Sie sich an, was eingerichtet wurde. Ein deaktivierter Identitätsanbieter lässt niemanden ein, bis ein Administrator ihn aktiviert.',
  },
  confirmation: {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    about: 'Jemand hat sich mit dieser Adresse als „{name}“ registriert, von {ip} aus.',
    you: 'Wenn Sie das waren, bestätigen Sie die Adresse innerhalb von 24 Stunden, im selben Browser oder mit dem Passwort, das Sie gewählt haben.',
    notYou:
      'Wenn Sie das nicht waren, beachten Sie diese E-Mail nicht weiter. Ohne Ihre Bestätigung geschieht nichts.',
    confirm: 'Adresse bestätigen',
  },
  passwordReset: {
    subject: 'Wählen Sie ein neues Passwort',
    about: 'Jemand hat ein neues Passwort für Ihr Konto angefordert, von {ip} aus.',
    you: 'Wenn Sie das waren, wählen Sie innerhalb von 30 Minuten eines. Wenn nicht, beachten Sie diese E-Mail nicht weiter. Ihr Passwort bleibt dann unverändert.',
    choose: 'Neues Passwort wählen',
  },
  passwordChanged: {
    subject: 'Ihr Passwort wurde geändert',
    reset: 'Das Passwort Ihres Kontos wurde von {ip} aus geändert. Damit wurden alle Sitzungen beendet.',
    changed:
      'Das Passwort Ihres Kontos wurde von {ip} aus geändert. Damit wurden alle anderen Sitzungen beendet.',
  },
  identityLinked: {
    subject: 'Anmeldung mit {provider} wurde hinzugefügt',
    about:
      'Sie können sich jetzt mit {provider} an Ihrem Konto anmelden. Das wurde von {ip} aus hinzugefügt.',
  },
  factorAdded: {
    subject: 'Ihrem Konto wurde ein zweiter Faktor hinzugefügt',
    totp: 'Ihrem Konto wurde von {ip} aus eine Authenticator-App namens „{name}“ hinzugefügt. Bei jeder Anmeldung werden Sie nach einem zweiten Faktor gefragt.',
    passkey:
      'Ihrem Konto wurde von {ip} aus ein Passkey namens „{name}“ hinzugefügt. Bei jeder Anmeldung werden Sie nach einem zweiten Faktor gefragt.',
  },
  factorRemoved: {
    subject: 'Ein zweiter Faktor wurde aus Ihrem Konto entfernt',
    totp: 'Eine Authenticator-App namens „{name}“ wurde von {ip} aus Ihrem Konto entfernt.',
    passkey: 'Ein Passkey namens „{name}“ wurde von {ip} aus Ihrem Konto entfernt.',
    none: 'Ihr Konto hat keinen zweiten Faktor mehr.',
    others: 'Ihre anderen zweiten Faktoren gelten weiterhin.',
  },
  factorsRemoved: {
    subject: 'Ihre zweiten Faktoren wurden entfernt',
    byOperator:
      'Der Betreiber des Servers hat alle zweiten Faktoren und Wiederherstellungscodes Ihres Kontos entfernt. Sie sind überall abgemeldet und melden sich ohne zweiten Faktor an, bis Sie einen hinzufügen.',
    byAdministrator:
      'Die Administration Ihrer Organisation hat alle zweiten Faktoren und Wiederherstellungscodes Ihres Kontos entfernt. Sie sind überall abgemeldet und melden sich ohne zweiten Faktor an, bis Sie einen hinzufügen.',
    notYou:
      'Wenn Sie nicht darum gebeten haben, setzen Sie jetzt Ihr Passwort zurück und wenden Sie sich an Ihre Administration.',
  },
  codesRenewed: {
    subject: 'Sie haben neue Wiederherstellungscodes',
    about:
      'Für Ihr Konto wurden von {ip} aus neue Wiederherstellungscodes erstellt. Die früheren gelten nicht mehr.',
  },
  codeUsed: {
    subject: 'Ein Wiederherstellungscode wurde verwendet',
    about:
      'Ein Wiederherstellungscode Ihres Kontos wurde von {ip} aus verwendet. Verbleibende Codes: {left}.',
    notYou:
      'Wenn Sie das nicht waren, setzen Sie jetzt Ihr Passwort zurück, erstellen Sie neue Wiederherstellungscodes und wenden Sie sich an Ihre Administration.',
  },
  emailProof: {
    subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
    byPerson: 'Von {ip} aus wurde gebeten, ein Konto auf diese Adresse umzustellen.',
    byOperator: 'Der Betreiber des Servers hat begonnen, Ihr Konto auf diese Adresse umzustellen.',
    you: 'Bestätigen Sie das innerhalb von 24 Stunden. Haben Sie selbst darum gebeten, dann in einem Browser, in dem Sie angemeldet sind.',
    notYou:
      'Waren Sie es nicht, dann ignorieren Sie diese E-Mail oder lehnen Sie die Änderung ab. Ohne Ihre Bestätigung geschieht nichts.',
    open: 'Änderung öffnen',
  },
  emailTaken: {
    subject: 'Ihre Adresse wurde für ein anderes Konto genannt',
    about: 'Jemand hat von {ip} aus gebeten, diese Adresse für ein anderes Konto zu verwenden.',
    you: 'Sie hat bereits ein Konto, deshalb ändert sich nichts. Waren Sie es, dann melden Sie sich mit dieser Adresse an.',
  },
  emailApproval: {
    subject: 'Stimmen Sie der Änderung Ihrer E-Mail-Adresse zu',
    byPerson: 'Von {ip} aus wurde gebeten, Ihr Konto auf {email} umzustellen.',
    byOperator:
      'Der Betreiber des Servers hat begonnen, Ihr Konto auf {email} umzustellen, falls Sie diese Adresse nicht mehr lesen.',
    approve:
      'Waren Sie es, dann stimmen Sie innerhalb von 24 Stunden zu, in einem Browser, in dem Sie angemeldet sind. Auch die neue Adresse muss bestätigt werden.',
    notYou:
      'Waren Sie es nicht, dann lehnen Sie ab, setzen Sie Ihr Passwort zurück und sagen Sie es Ihrem Administrator: Jemand hat Ihr Konto benutzt.',
    notYouOperator:
      'Haben Sie nicht darum gebeten, dann lehnen Sie jetzt ab und sagen Sie es Ihrem Administrator.',
    open: 'Änderung öffnen',
  },
  emailChanged: {
    subject: 'Ihre E-Mail-Adresse wurde geändert',
    byPerson: 'Ihr Konto hat jetzt die Adresse {email}. Die Änderung wurde von {ip} aus abgeschlossen.',
    byOperator:
      'Ihr Konto hat jetzt die Adresse {email}. Der Betreiber des Servers hat die Änderung begonnen.',
    ended:
      'Mit dieser Adresse melden Sie sich nicht mehr an, weder mit Passwort noch über einen Anbieter. Ihre anderen Sitzungen wurden abgemeldet.',
    notYou:
      'Waren Sie es nicht, dann sagen Sie es sofort Ihrem Administrator: Diese Adresse kann das Passwort nicht mehr zurücksetzen.',
  },
  magicLink: {
    subject: 'Ihr Anmeldelink',
    about:
      'Jemand möchte sich an Ihrem Konto anmelden, von {ip} aus. Wenn Sie das sind, öffnen Sie den Link innerhalb von 10 Minuten im selben Browser, oder geben Sie dort den Code ein.',
    notYou:
      'Wenn Sie das nicht sind, beachten Sie diese E-Mail nicht weiter und geben Sie den Code nicht weiter.',
    signIn: 'Anmelden',
  },
}
