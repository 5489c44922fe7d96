#!/usr/bin/env bash
# Runs the notebooks and builds the site into target/docs. Needs an environment with rankduel and docs/requirements.txt;
# DOCS_PYTHON names its interpreter.
set -euo pipefail
cd "$(dirname "$0")"
python=${DOCS_PYTHON:-python3}
out=../target/docs-notebooks
rm -rf "$out" pages/notebooks
mkdir -p "$out" pages/notebooks
kernel='{"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}'
export MPLBACKEND=module://matplotlib_inline.backend_inline NO_MKDOCS_2_WARNING=1
for notebook in notebooks/*.py; do
  name=$(basename "$notebook" .py)
  "$python" -m jupytext --quiet --to ipynb --update-metadata "$kernel" --output "$out/$name.ipynb" "$notebook"
  "$python" -m nbconvert --log-level=ERROR --execute --to notebook --output-dir pages/notebooks "$out/$name.ipynb"
  # Warnings name a file of the kernel, another one at each run.
  sed -i -E 's#[^" ]*/ipykernel_[0-9]+/[0-9]+\.py:#cell:#g' "pages/notebooks/$name.ipynb"
  "$python" -m nbconvert --log-level=ERROR --to markdown --TemplateExporter.extra_template_basedirs=. --template template \
    --output-dir pages/notebooks "pages/notebooks/$name.ipynb"
done
"$python" llms.py
"$python" -m mkdocs build --quiet -f mkdocs.yml
# Nothing that a browser would fetch from elsewhere.
if grep -rhoE '(src|href)="https?://[^"]+\.(js|css|woff2?)[^"]*"' ../target/docs --include='*.html' | sort | uniq -c | grep .; then
  echo 'the site fetches files from other hosts'
  exit 1
fi
if grep -rnE '<img [^>]*alt=""' ../target/docs --include='*.html' | grep .; then
  echo 'pictures without a text: see `alt` in the notebooks'
  exit 1
fi
echo "the site is in $(cd ../target/docs && pwd)"
