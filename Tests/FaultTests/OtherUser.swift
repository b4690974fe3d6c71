import DaemonHost
import SystemPackage

/// A daemon that runs as a user other than root, to whom file permissions apply.
enum OtherUser {
    /// The user ID of nobody.
    static let identifier = "65534"

    /// Returns the command that runs the daemon as this user.
    ///
    /// The user can access the host's directory, in which no other daemon listens, and the socket of the service
    /// manager. The caller sets the permissions of the state directory.
    static func prefix(_ host: Host) -> [String] {
        let directory = host.directory.string
        let user = ["setpriv", "--reuid", identifier, "--regid", identifier, "--clear-groups"]
        return [
            "sh", "-c",
            #"rm -f "$0/control" && chmod 777 "$0" "$0/notify" && exec "$@""#, directory,
        ] + user
    }
}
