import Glibc
import TestSupport
import Testing

@testable import Reprise

/// Warnings about files that users other than root and the daemon's user can change.
@Suite struct ConfigurationWarningTests {
    private func doubt(
        mode: mode_t, group: gid_t? = nil, user: uid_t = geteuid()
    ) throws -> String? {
        let scratch = try ScratchFolder()
        try scratch.write("file", "")
        let path = scratch.file("file")
        if let group, geteuid() == 0 { #expect(chown(path, 0, group) == 0) }
        #expect(chmod(path, mode) == 0)
        return ConfigurationWarning(openFile: path, user: user).map { doubt in
            #expect(doubt.file == path)
            return doubt.description.replacing(path, with: "FILE")
        }
    }

    @Test func `a file of root's, or of the daemon's user, that nobody else may write is none`()
        throws
    {
        #expect(try doubt(mode: 0o644) == nil)
        #expect(try doubt(mode: 0o600) == nil)
    }

    @Test func `what everybody or a group may write is told, with what keeps them from it`() throws
    {
        #expect(
            try doubt(mode: 0o666)
                == "FILE can be changed by everybody: `chmod o-w FILE` prevents this.")
        // The sticky bit does not prevent changes to a file.
        #expect(
            try doubt(mode: 0o1666)
                == "FILE can be changed by everybody: `chmod o-w FILE` prevents this.")
        let group = geteuid() == 0 ? 4711 : getegid()
        #expect(
            try doubt(mode: 0o660, group: group)
                == "FILE can be changed by the group \(group): `chmod g-w FILE` prevents this."
        )
    }

    @Test func `what belongs to another user is told`() throws {
        let own = geteuid()
        // No other user can change a file of root.
        #expect(
            try doubt(mode: 0o644, user: own + 1)
                == (own == 0
                    ? nil
                    : "FILE can be changed by the user \(own), who owns it: `chown root FILE` "
                        + "prevents this.")
        )
    }

    @Test
    func `a directory with the sticky bit is a doubt only if the daemon reads what is added to it`()
    {
        #expect(ConfigurationWarning(openFile: "/tmp") == nil)
        #expect(
            ConfigurationWarning(openFile: "/tmp", takesNewFiles: true)?.description
                == "Other users can add files to /tmp: move the configuration to a directory that only root can "
                + "change.")
    }

    @Test func `what is not there is none`() {
        #expect(ConfigurationWarning(openFile: "/nowhere/file") == nil)
    }
}
