import ExactText
import Glibc

/// Something about the configuration that is no error, and probably not meant so.
struct Doubt: Sendable, Hashable, CustomStringConvertible {
    /// The file or folder.
    let file: String
    /// One sentence: what, and what to do.
    let description: String

    /// A file or folder that others than root and the daemon's own user may change; nil: it is none.
    init?(openFile path: String, user: uid_t = geteuid()) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let who: String
        if status.st_uid != 0, status.st_uid != user {
            who = "the user \(status.st_uid), to whom it belongs: `chown root \(path)`"
        } else if status.st_mode & S_IWOTH != 0 {
            who = "everybody: `chmod o-w \(path)`"
        } else if status.st_mode & S_IWGRP != 0, status.st_gid != 0 {
            who = "the group \(status.st_gid): `chmod g-w \(path)`"
        } else {
            return nil
        }
        file = path
        description = "\(path) may be changed by \(who) keeps them from it."
    }

    /// A control socket that is configured, and not used, because the service manager passes others.
    init(socket: String, in file: String, insteadOf passed: String) {
        self.file = file
        description =
            "control.socket, \(socket), is without effect: the service manager passes \(passed). Write "
            + "the path to ListenStream= of the socket unit, or take the key out."
    }
}
