// Runs before anything is drawn, so that nobody who chose the dark is shown the light first. No module: it must not wait.
{
  const chosen = (() => {
    try {
      return localStorage.getItem('postern.theme')
    } catch {
      return null
    }
  })()
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
}
