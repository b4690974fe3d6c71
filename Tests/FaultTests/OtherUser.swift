import DaemonHost
import SystemPackage

/// A daemon of a user who is not root, and to whom modes therefore mean something.
enum OtherUser {
    /// Nobody's.
    static let identifier = "65534"

    /// What becomes the daemon of that user. It gets at the host's own folder, where no other one
    /// listens any more, and at the socket of the service manager; what it may do in the state
    /// directory is up to the caller.
    static func prefix(_ host: Host) -> [String] {
        let folder = host.folder.string
        let user = ["setpriv", "--reuid", identifier, "--regid", identifier, "--clear-groups"]
        return [
            "sh", "-c",
            #"rm -f "$0/control" && chmod 777 "$0" "$0/notify" && exec "$@""#, folder,
        ] + user
    }
}
