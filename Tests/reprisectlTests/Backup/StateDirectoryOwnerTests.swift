import Encryption
import FoundationEssentials
import Glibc
import LinuxIO
import TestSupport
import Testing

@testable import reprisectl

/// User account under which the program restores a backup.
@Suite(.timeLimit(.minutes(10))) struct StateDirectoryOwnerTests {
    @Test func `a missing state directory will be owned by the process's user`() throws {
        let scratch = try ScratchDirectory()
        let owner = try StateDirectoryOwner(of: scratch.file("missing"))
        #expect(try owner.perform { geteuid() } == geteuid())
    }

    @Test(.enabled(if: geteuid() == 0))
    func `root cannot write to a state directory whose owner cannot be determined`() throws {
        let scratch = try ScratchDirectory()
        try scratch.write("file", "")
        let path = scratch.file("file/state")
        #expect(throws: IOError(.status, path: path, code: ENOTDIR)) {
            try StateDirectoryOwner(of: path)
        }
    }

    // MARK: Other users

    /// Command that changes the user and the group to nobody.
    private static let asNobody = [
        "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
    ]

    /// Restores a backup of one document into a state directory that nobody owns.
    ///
    /// Only root and the group 12345 can access the directory `closed`.
    ///
    /// - Parameters:
    ///   - prefix: The command that starts the program.
    ///   - name: The name of the state directory, or `nil` to use the default.
    private func restore(
        _ scratch: ScratchDirectory, startedBy prefix: [String], into name: String?,
        environment: [String: String] = [:]
    ) async throws -> ProgramRun {
        let document = "Documents/org.example.A/text"
        try scratch.write("backup/\(document)", "ab")
        let digest = SHA256.hexDigest(of: Array("ab".utf8))
        try scratch.write("backup/SHA256SUMS", "\(digest)  \(document)\n")
        for directory in ["state", "closed/state"] {
            try FileManager.default.createDirectory(
                atPath: scratch.file(directory), withIntermediateDirectories: true)
        }
        let script = #"""
            chmod -R a+rX "$0" && chown 65534:65534 "$0/state" "$0/closed/state" &&
                chown 0:12345 "$0/closed" && chmod 750 "$0/closed" && exec "$@"
            """#
        let option = name.map { ["--state-directory", scratch.file($0)] } ?? []
        return try await ProgramRun(
            ["restore", scratch.file("backup")] + option, environment: environment,
            startedBy: ["sh", "-c", script, scratch.path] + prefix)
    }

    /// Owner of the restored document, or `nil` if the document was not restored.
    private func owner(_ scratch: ScratchDirectory) -> uid_t? {
        scratch.status("state/Documents/org.example.A/text")?.st_uid
    }

    @Test(.needsRoot) func `restored files belong to the owner of the state directory`()
        async throws
    {
        for prefix in [[], Self.asNobody] {
            let scratch = try ScratchDirectory()
            let run = try await restore(scratch, startedBy: prefix, into: "state")
            #expect(run.status == 0, "\(run.errors)")
            #expect(owner(scratch) == 65534)
        }
    }

    @Test(.needsRoot) func `root's groups give no access to a state directory`() async throws {
        let scratch = try ScratchDirectory()
        let run = try await restore(
            scratch, startedBy: ["setpriv", "--groups", "12345"], into: "closed/state")
        #expect(run.status == 1)
        #expect(run.errors.contains("Permission denied"))
        let names = try FileManager.default.contentsOfDirectory(
            atPath: scratch.file("closed/state"))
        #expect(names.isEmpty)
    }

    @Test(.needsRoot) func `if root cannot drop its groups, nothing is restored`() async throws {
        let scratch = try ScratchDirectory()
        let run = try await restore(
            scratch,
            startedBy: ["setpriv", "--inh-caps=-setgid", "--bounding-set=-setgid"], into: "state")
        #expect(run.status == 1)
        #expect(run.errors.contains("Operation not permitted"))
        #expect(owner(scratch) == nil)
    }

    @Test(.needsRoot) func `the default state directory of a user is in XDG_STATE_HOME`()
        async throws
    {
        let scratch = try ScratchDirectory()
        let run = try await restore(
            scratch, startedBy: Self.asNobody, into: nil,
            environment: ["XDG_STATE_HOME": "/nonexistent/x"])
        #expect(run.status == 2)
        #expect(run.errors.contains("The state directory '/nonexistent/x/reprise' does not exist"))
    }
}
