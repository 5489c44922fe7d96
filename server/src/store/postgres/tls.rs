//! How a connection is encrypted.

use std::pin::Pin;

use tokio_postgres::{Client, Config, Error};

/// What carries a connection's bytes, as long as it is there.
pub(super) type Driver = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Connects. Without the feature `tls`, a database that asks for encryption (`sslmode=require`) is refused by the client.
pub(super) async fn connect(config: &Config) -> Result<(Client, Driver), Error> {
    let (client, connection) = config.connect(tokio_postgres::NoTls).await?;
    // Whoever waits for an answer hears what ended the connection.
    Ok((client, Box::pin(async { drop(connection.await) })))
}
