//! Encryption of a connection: with `sslmode=require`, and then the certificate of the database must be good for its host name.

use std::path::Path;
use std::pin::Pin;

use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, Config, NoTls};

use super::failures::{advice, message_of};

/// The task that carries a connection's bytes, as long as it is there.
pub(super) type Driver = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Connects; `roots` has the trusted certificates, in PEM, if they are not those of the Web. Returns the reason if that fails.
pub(super) async fn connect(config: &Config, roots: Option<&Path>) -> Result<(Client, Driver), String> {
    let failed = |error: tokio_postgres::Error| format!("{}{}", message_of(&error), advice(&error));
    if config.get_ssl_mode() == SslMode::Require {
        return encrypted(config, roots).await;
    }
    // Optional encryption is not used.
    let mut config = config.clone();
    let (client, connection) = config.ssl_mode(SslMode::Disable).connect(NoTls).await.map_err(failed)?;
    // Callers that wait for an answer get the error that ended the connection.
    Ok((client, Box::pin(async { drop(connection.await) })))
}

#[cfg(not(feature = "tls"))]
#[expect(clippy::unused_async, reason = "with TLS, it waits")]
async fn encrypted(_: &Config, _: Option<&Path>) -> Result<(Client, Driver), String> {
    Err("sslmode=require needs a program that was built with `--features tls`".to_owned())
}

#[cfg(feature = "tls")]
async fn encrypted(config: &Config, roots: Option<&Path>) -> Result<(Client, Driver), String> {
    let connector = rustls::Connector::new(roots)?;
    let (client, connection) = config.connect(connector).await.map_err(|error| message_of(&error))?;
    Ok((client, Box::pin(async { drop(connection.await) })))
}

/// TLS by rustls.
#[cfg(feature = "tls")]
mod rustls {
    use std::io;
    use std::path::Path;
    use std::pin::Pin;
    use std::sync::Arc;
    use std::task::{Context, Poll};

    use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
    use tokio_postgres::Socket;
    use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
    use tokio_rustls::rustls::pki_types::pem::PemObject as _;
    use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
    use tokio_rustls::rustls::{ClientConfig, RootCertStore};
    use tokio_rustls::{TlsConnector, client};

    /// Makes encrypted connections.
    #[derive(Clone)]
    pub(super) struct Connector(Arc<ClientConfig>);

    impl Connector {
        pub(super) fn new(roots: Option<&Path>) -> Result<Self, String> {
            let mut root_certificates = RootCertStore::empty();
            match roots {
                None => root_certificates.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
                Some(path) => {
                    let wrong = |why: String| format!("sslrootcert {}: {why}", path.display());
                    let found = CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))?;
                    for certificate in found {
                        let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
                        root_certificates.add(certificate).map_err(|error| wrong(error.to_string()))?;
                    }
                    if root_certificates.is_empty() {
                        return Err(wrong("no certificate in PEM".to_owned()));
                    }
                }
            }
            let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
            let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
            let config = versions.map_err(|error| error.to_string())?;
            Ok(Self(Arc::new(config.with_root_certificates(root_certificates).with_no_client_auth())))
        }
    }

    /// A connection to one host.
    pub(super) struct HostConnector {
        connector: Connector,
        host: ServerName<'static>,
    }

    /// An encrypted connection.
    pub(super) struct EncryptedStream(client::TlsStream<Socket>);

    impl MakeTlsConnect<Socket> for Connector {
        type Stream = EncryptedStream;
        type TlsConnect = HostConnector;
        type Error = io::Error;

        fn make_tls_connect(&mut self, host: &str) -> io::Result<HostConnector> {
            let host = ServerName::try_from(host.to_owned());
            let host = host.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
            Ok(HostConnector { connector: self.clone(), host })
        }
    }

    impl TlsConnect<Socket> for HostConnector {
        type Stream = EncryptedStream;
        type Error = io::Error;
        type Future = Pin<Box<dyn Future<Output = io::Result<EncryptedStream>> + Send>>;

        fn connect(self, socket: Socket) -> Self::Future {
            let connecting = TlsConnector::from(self.connector.0).connect(self.host, socket);
            Box::pin(async { connecting.await.map(EncryptedStream) })
        }
    }

    impl TlsStream for EncryptedStream {
        fn channel_binding(&self) -> ChannelBinding {
            ChannelBinding::none()
        }
    }

    impl AsyncRead for EncryptedStream {
        fn poll_read(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
            buffer: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            Pin::new(&mut self.0).poll_read(context, buffer)
        }
    }

    impl AsyncWrite for EncryptedStream {
        fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            Pin::new(&mut self.0).poll_write(context, bytes)
        }

        fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
            Pin::new(&mut self.0).poll_flush(context)
        }

        fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
            Pin::new(&mut self.0).poll_shutdown(context)
        }
    }
}
