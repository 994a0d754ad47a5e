import type { MailMessages } from './en.ts'

export const es: MailMessages = {
  code: 'Código: {code}',
  notYou: 'Si no fue usted, avise a quien administra su organización.',
  notYouReset: 'Si no fue usted, restablezca su contraseña ahora y avise a quien administra su organización.',
  invitation: {
    subject: 'Invitación a {organization}',
    about: 'Ha recibido una invitación para unirse a {organization}.',
    aboutBy: '{inviter} le ha invitado a unirse a {organization}.',
    lasts: {
      one: 'El enlace siguiente es solo para usted y es válido durante {days} día. No lo reenvíe, por favor.',
      other:
        'El enlace siguiente es solo para usted y es válido durante {days} días. No lo reenvíe, por favor.',
    },
    accept: 'Aceptar la invitación',
  },
  setup: {
    subject: 'Configure el inicio de sesión de {organization}',
    about:
      'Un administrador de {organization} le pide que configure el inicio de sesión de su personal. No necesita ninguna cuenta.',
    lasts: {
      one: 'El enlace siguiente es válido durante {days} día, en el navegador que lo abra primero. No lo reenvíe, por favor: quien lo abra puede hacer la configuración.',
      other:
        'El enlace siguiente es válido durante {days} días, en el navegador que lo abra primero. No lo reenvíe, por favor: quien lo abra puede hacer la configuración.',
    },
    open: 'Abrir la configuración',
  },
  setupOpened: {
    subject: 'Se ha abierto el enlace de configuración para {name}',
    about:
      'Se ha abierto desde {ip}. El inicio de sesión de {organization} se configura ahora solo en ese navegador.',
    notYou: 'Si no sabe quién ha sido, revoque el enlace: en la consola, en «Identity providers».',
  },
  setupFinished: {
    subject: 'La configuración con el enlace para {name} ha terminado',
    about:
      'El inicio de sesión de {organization} se ha configurado con el enlace para {name}, que ya no es válido.',
    review:
      'Revise lo que se ha configurado. Un proveedor de identidad desactivado no deja entrar a nadie hasta que un administrador lo active.',
  },
  confirmation: {
    subject: 'Confirme su dirección de correo',
    about: 'Alguien se ha registrado con esta dirección como «{name}», desde {ip}.',
    you: 'Si fue usted, confirme la dirección en un plazo de 24 horas, en el mismo navegador o con la contraseña que eligió.',
    notYou: 'Si no fue usted, no haga caso de este correo. Sin su confirmación no ocurre nada.',
    confirm: 'Confirmar la dirección',
  },
  passwordReset: {
    subject: 'Elija una contraseña nueva',
    about: 'Alguien ha pedido una contraseña nueva para su cuenta, desde {ip}.',
    you: 'Si fue usted, elija una en un plazo de 30 minutos. Si no, no haga caso de este correo: su contraseña seguirá siendo la misma.',
    choose: 'Elegir una contraseña nueva',
  },
  passwordChanged: {
    subject: 'Su contraseña ha cambiado',
    reset: 'La contraseña de su cuenta se cambió desde {ip}. Se han cerrado todas las sesiones.',
    changed: 'La contraseña de su cuenta se cambió desde {ip}. Se han cerrado todas las demás sesiones.',
  },
  identityLinked: {
    subject: 'Se ha añadido el inicio de sesión con {provider}',
    about: 'Ya puede iniciar sesión en su cuenta con {provider}. Se añadió desde {ip}.',
  },
  factorAdded: {
    subject: 'Se ha añadido un segundo factor a su cuenta',
    totp: 'Se ha añadido a su cuenta una aplicación de autenticación llamada «{name}», desde {ip}. Se le pedirá un segundo factor en cada inicio de sesión.',
    passkey:
      'Se ha añadido a su cuenta una llave de acceso llamada «{name}», desde {ip}. Se le pedirá un segundo factor en cada inicio de sesión.',
  },
  factorRemoved: {
    subject: 'Se ha quitado un segundo factor de su cuenta',
    totp: 'Se ha quitado de su cuenta una aplicación de autenticación llamada «{name}», desde {ip}.',
    passkey: 'Se ha quitado de su cuenta una llave de acceso llamada «{name}», desde {ip}.',
    none: 'Su cuenta ya no tiene ningún segundo factor.',
    others: 'Sus otros segundos factores siguen funcionando.',
  },
  factorsRemoved: {
    subject: 'Se han quitado sus segundos factores',
    byOperator:
      'El operador del servidor ha quitado todos los segundos factores y códigos de recuperación de su cuenta. Se han cerrado todas sus sesiones, y entrará sin segundo factor hasta que añada uno.',
    byAdministrator:
      'Quien administra su organización ha quitado todos los segundos factores y códigos de recuperación de su cuenta. Se han cerrado todas sus sesiones, y entrará sin segundo factor hasta que añada uno.',
    notYou:
      'Si no lo ha pedido usted, restablezca su contraseña ahora y avise a quien administra su organización.',
  },
  codesRenewed: {
    subject: 'Tiene códigos de recuperación nuevos',
    about:
      'Se han creado códigos de recuperación nuevos para su cuenta, desde {ip}. Los anteriores ya no sirven.',
  },
  codeUsed: {
    subject: 'Se ha utilizado un código de recuperación',
    about: 'Se ha utilizado un código de recuperación de su cuenta, desde {ip}. Códigos restantes: {left}.',
    notYou:
      'Si no fue usted, restablezca su contraseña ahora, cree códigos de recuperación nuevos y avise a quien administra su organización.',
  },
  emailProof: {
    subject: 'Confirme su nueva dirección de correo',
    byPerson: 'Se ha pedido, desde {ip}, cambiar una cuenta a esta dirección.',
    byOperator: 'El operador del servidor ha empezado a cambiar su cuenta a esta dirección.',
    you: 'Confírmela en 24 horas. Si lo ha pedido usted, hágalo en un navegador en el que haya iniciado sesión.',
    notYou: 'Si no ha sido usted, ignore este correo o rechace el cambio. No pasa nada sin su confirmación.',
    open: 'Abrir el cambio',
  },
  emailTaken: {
    subject: 'Se ha indicado su dirección para otra cuenta',
    about: 'Alguien ha pedido, desde {ip}, usar esta dirección para otra cuenta.',
    you: 'Ya tiene una cuenta, así que no cambia nada. Si ha sido usted, inicie sesión con esta dirección.',
  },
  emailApproval: {
    subject: 'Apruebe el cambio de su dirección de correo',
    byPerson: 'Se ha pedido, desde {ip}, cambiar su cuenta a {email}.',
    byOperator:
      'El operador del servidor ha empezado a cambiar su cuenta a {email}, por si usted ya no lee esta dirección.',
    approve:
      'Si ha sido usted, apruébelo en 24 horas, en un navegador en el que haya iniciado sesión. También hay que confirmar la nueva dirección.',
    notYou:
      'Si no ha sido usted, rechácelo, restablezca su contraseña y avise a su administrador: alguien ha usado su cuenta.',
    notYouOperator: 'Si no lo ha pedido, rechácelo ahora y avise a su administrador.',
    open: 'Abrir el cambio',
  },
  emailChanged: {
    subject: 'Se ha cambiado su dirección de correo',
    byPerson: 'Su cuenta tiene ahora la dirección {email}. El cambio se ha completado desde {ip}.',
    byOperator: 'Su cuenta tiene ahora la dirección {email}. El operador del servidor ha empezado el cambio.',
    ended:
      'Con esta dirección ya no puede iniciar sesión, ni con contraseña ni con un proveedor. Sus otras sesiones se han cerrado.',
    notYou:
      'Si no ha sido usted, avise ahora a su administrador: esta dirección ya no puede restablecer la contraseña.',
  },
  magicLink: {
    subject: 'Su enlace para iniciar sesión',
    about:
      'Alguien ha pedido iniciar sesión en su cuenta, desde {ip}. Si fue usted, abra el enlace en el mismo navegador en un plazo de 10 minutos o introduzca allí el código.',
    notYou: 'Si no fue usted, no haga caso de este correo y no comparta el código.',
    signIn: 'Iniciar sesión',
  },
}
