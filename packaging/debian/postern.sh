#!/bin/sh
# Runs a command of Postern as its user, with the settings of the service.
set -e
if [ "$(id -un)" != postern ]; then
  if [ "$(id -u)" != 0 ]; then
    echo "postern: run it as root or as the user postern, for example: sudo postern $*" >&2
    exit 1
  fi
  exec setpriv --reuid=postern --regid=postern --init-groups --reset-env /usr/bin/postern "$@"
fi
cd /var/lib/postern
exec /usr/lib/postern/node --env-file=/etc/postern.env /usr/lib/postern/bin/postern.js "$@"
