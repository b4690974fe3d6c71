import Glibc
import TestSupport
import Testing

@testable import Reprise

/// Warnings about files that users other than root and the daemon's user can change.
@Suite struct ConfigurationWarningTests {
    private func warning(
        mode: mode_t, group: gid_t? = nil, userID: uid_t = geteuid()
    ) throws -> String? {
        let scratch = try ScratchDirectory()
        try scratch.write("file", "")
        let path = scratch.file("file")
        if let group, geteuid() == 0 { #expect(chown(path, 0, group) == 0) }
        #expect(chmod(path, mode) == 0)
        return ConfigurationWarning(writableFile: path, userID: userID).map { warning in
            #expect(warning.filePath == path)
            return warning.description.replacing(path, with: "FILE")
        }
    }

    @Test func `a file that only root or the daemon's user can change causes no warning`()
        throws
    {
        #expect(try warning(mode: 0o644) == nil)
        #expect(try warning(mode: 0o600) == nil)
    }

    @Test
    func `a file that everybody or a group can change causes a warning with the command to fix it`()
        throws
    {
        #expect(
            try warning(mode: 0o666)
                == "FILE can be changed by everybody: `chmod o-w FILE` prevents this.")
        // The sticky bit does not prevent changes to a file.
        #expect(
            try warning(mode: 0o1666)
                == "FILE can be changed by everybody: `chmod o-w FILE` prevents this.")
        let group = geteuid() == 0 ? 4711 : getegid()
        #expect(
            try warning(mode: 0o660, group: group)
                == "FILE can be changed by the group \(group): `chmod g-w FILE` prevents this."
        )
    }

    @Test func `a file owned by a user other than root or the daemon's user causes a warning`()
        throws
    {
        let own = geteuid()
        // No other user can change a file of root.
        #expect(
            try warning(mode: 0o644, userID: own + 1)
                == (own == 0
                    ? nil
                    : "FILE can be changed by the user \(own), who owns it: `chown root FILE` "
                        + "prevents this.")
        )
    }

    @Test
    func
        `a directory with the sticky bit causes a warning only if the daemon reads new files in it`()
    {
        #expect(ConfigurationWarning(writableFile: "/tmp") == nil)
        #expect(
            ConfigurationWarning(writableFile: "/tmp", readsNewFiles: true)?.description
                == "Other users can add files to /tmp: move the configuration to a directory that only root can "
                + "change.")
    }

    @Test func `a missing file causes no warning`() {
        #expect(ConfigurationWarning(writableFile: "/nowhere/file") == nil)
    }

    /// Phrases in the warnings.
    private static let everybody = "everybody: `chmod o-w "
    private static let newFiles = "Other users can add files to "
    private static let stranger = "the user 4712, who owns it"

    /// Directory or file, its owner, group and permissions, whether the daemon reads new files in
    /// it, and a phrase in the warning. The daemon runs as the user 4711.
    @Test(
        .needsRoot,
        arguments: [
            (false, 4711, 0, 0o644, false, nil), (false, 4712, 0, 0o644, false, stranger),
            (false, 0, 0, 0o660, false, nil), (false, 0, 4712, 0o644, false, nil),
            (false, 0, 4712, 0o660, false, "the group 4712: `chmod g-w "),
            (true, 0, 4712, 0o755, true, nil), (true, 0, 0, 0o777, true, everybody),
            (true, 0, 0, 0o1777, true, newFiles), (true, 0, 0, 0o1777, false, nil),
            (true, 0, 0, 0o1755, true, nil), (true, 0, 4712, 0o1775, true, newFiles),
            (true, 4711, 0, 0o1777, true, newFiles), (true, 4712, 0, 0o1777, true, stranger),
        ] as [(Bool, uid_t, gid_t, mode_t, Bool, String?)])
    func `a warning names the users who can change a file or add files to a directory`(
        isDirectory: Bool, owner: uid_t, group: gid_t, mode: mode_t, readsNewFiles: Bool,
        phrase: String?
    ) throws {
        let scratch = try ScratchDirectory()
        let path = scratch.file("path")
        if isDirectory {
            try #require(mkdir(path, 0o700) == 0)
        } else {
            try scratch.write("path", "")
        }
        try #require(chown(path, owner, group) == 0 && chmod(path, mode) == 0)
        let warning = ConfigurationWarning(
            writableFile: path, readsNewFiles: readsNewFiles, userID: 4711)
        if let phrase {
            #expect(warning?.description.contains(phrase) == true, "\(String(describing: warning))")
        } else {
            #expect(warning == nil)
        }
    }
}
