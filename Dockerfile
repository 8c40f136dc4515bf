FROM python:3.11-slim
WORKDIR /app
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY events events
COPY projections projections
COPY service service
COPY cli cli
RUN PIP_CONSTRAINT=constraints.txt pip install --no-cache-dir . \
    && useradd --create-home --uid 10001 trickbook \
    && install -d -o trickbook -g trickbook -m 0700 /data
USER trickbook
ENV TRICKBOOK_DATA=/data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/readyz', timeout=2)"]
CMD ["trickbook", "serve", "--host", "0.0.0.0"]
