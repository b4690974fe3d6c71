import ExactText
import Glibc

/// Warning about a setting that is valid but probably unintended.
struct ConfigurationWarning: Sendable, Hashable, CustomStringConvertible {
    /// Path of the file or directory that the warning is about.
    let filePath: String
    /// Sentence that describes the problem and says what to do.
    let description: String

    /// Creates a warning about a file or directory that other users can change.
    ///
    /// The result is `nil` if no other user can change it. Root and the daemon's own user do not count as other users.
    /// In a directory with the sticky bit, such as `/tmp`, other users can add files, but cannot replace files that
    /// they do not own.
    ///
    /// - Parameter readsNewFiles: Whether the daemon reads files that another user adds to the directory.
    init?(writableFile path: String, readsNewFiles: Bool = false, userID: uid_t = geteuid()) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let isSticky = status.st_mode & S_IFMT == S_IFDIR && status.st_mode & S_ISVTX != 0
        let hasTrustedOwner = status.st_uid == 0 || status.st_uid == userID
        if isSticky, hasTrustedOwner {
            guard readsNewFiles, status.st_mode & (S_IWOTH | S_IWGRP) != 0 else { return nil }
            filePath = path
            description =
                "Other users can add files to \(path): move the configuration to a directory that only root can "
                + "change."
            return
        }
        let writerDescription: String
        if !hasTrustedOwner {
            writerDescription = "the user \(status.st_uid), who owns it: `chown root \(path)`"
        } else if status.st_mode & S_IWOTH != 0 {
            writerDescription = "everybody: `chmod o-w \(path)`"
        } else if status.st_mode & S_IWGRP != 0, status.st_gid != 0 {
            writerDescription = "the group \(status.st_gid): `chmod g-w \(path)`"
        } else {
            return nil
        }
        filePath = path
        description = "\(path) can be changed by \(writerDescription) prevents this."
    }

    /// Creates a warning about a configured control socket that is not used because the service manager passed other
    /// sockets.
    init(socket: String, in filePath: String, insteadOf passedSockets: String) {
        self.filePath = filePath
        description =
            "control.socket, \(socket), has no effect: the service manager passed \(passedSockets). Set "
            + "the path with ListenStream= in the socket unit, or remove the key."
    }
}
