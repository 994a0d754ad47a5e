/** Arguments of GNU tar by which two archives of the same files are equal. */
export const STABLE = [
  ...['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'],
]
