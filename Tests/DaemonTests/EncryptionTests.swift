import DaemonHost
import Glibc
import Subprocess
import SystemPackage
import Testing

/// Encryption of a daemon's saved state, which can be neither read nor changed without the key.
struct EncryptionTests {
    private static let otherKey = [UInt8](101...132)

    /// Strings that occur nowhere else.
    private static let secrets = ["bohnenkraut-7731", "xylophon-2290", "zwiebelrost-5518"]
    private static let table = "navController/tableViewController/tableView"

    /// Types into forms and documents, and creates a generation and quarantined state.
    private func fill(_ host: Host) async throws {
        let documents = host.application("StateRestore")
        try await host.run(endingBy: .kill) { _ in
            try await host.mustControl("type", Paths.child1, Self.secrets[0])
            try await documents("tap", Self.table, "--row", "0")
            try await documents(
                "type", "navController/viewController/TextView", Self.secrets[1])
            try await documents("tap", "navController/viewController/@saveButton")
            try await documents("preserve")
            try await host.mustControl("reset")
            try await host.mustControl("type", Paths.child1, Self.secrets[2])
            try await host.mustControl("type", Paths.child2, Self.secrets[2])
            try await host.mustControl("preserve")
        }
        // The end of the archive is cut off, so a copy is quarantined.
        let bytes = try host.archive.read()
        try host.archive.write(bytes.dropLast(5))
        try await host.run(endingBy: .kill) { _ in
            try await host.mustControl("type", Paths.child1, Self.secrets[0])
            try await host.mustControl("preserve")
        }
    }

    /// Returns the files in a directory tree that contain any of the strings.
    private func files(with texts: [String], below directory: FilePath) throws -> [String] {
        try directory.entries.flatMap { name -> [String] in
            let path = directory.appending(name)
            let below = try files(with: texts, below: path)
            if !path.entries.isEmpty { return below }
            let bytes = try? path.read()
            let containsText = texts.contains { bytes?.contains(text: $0) == true }
            return below + (containsText ? [path.string] : [])
        }
    }

    /// Returns the contents of all files in a directory tree, keyed by path.
    private func contents(of directory: FilePath) throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for name in directory.entries {
            let path = directory.appending(name)
            if path.entries.isEmpty {
                contents[path.string] = (try? path.read()) ?? []
            } else {
                try contents.merge(self.contents(of: path)) { first, _ in first }
            }
        }
        return contents
    }

    @Test func `with encryption, no file contains typed text or identifiers`() async throws {
        for isEncrypted in [false, true] {
            try await Host.with { host in
                if isEncrypted { try host.encrypt() }
                try await fill(host)
                try #require(host.savedState.appending("history").entries.count >= 2)
                try #require(host.savedState.appending("quarantine").entries.count == 2)
                let texts = Self.secrets + ["textField", "navController", "torn tail"]
                let found = try files(with: texts, below: host.state)
                // Without encryption, the search finds the strings.
                try #require(found.count >= 6 || isEncrypted, "\(found)")
                try #require(found.isEmpty || !isEncrypted, "\(found)")
                try await host.run { _ in
                    try await host.require(child1: Self.secrets[0], reason: "recover")
                    let quarantine = try await host.mustControl("quarantine")
                    try #require(quarantine.contains("torn tail"), "\(quarantine)")
                    let status = try await host.mustControl("status")
                    try #require(status.contains(", encrypted with the key ") == isEncrypted)
                }
            }
        }
    }

    @Test func `L5: without the right key, the daemon does not start and changes no file`()
        async throws
    {
        try await Host.with { host in
            try host.encrypt()
            try await fill(host)
            let before = try contents(of: host.state)
            let none = "preservation: { encryption: none }\n"
            let encryption = host.directory.appending("config/reprised.d/encryption.yaml")
            let credential = try encryption.read()
            for (key, configuration, message) in [
                (Self.otherKey, credential, "is encrypted and cannot be read without the key "),
                (nil, credential, "pass the credential reprise.key to the service"),
                (Self.otherKey, Array(none.utf8), "the given key is "),
                (nil, Array(none.utf8), "no key is given"),
                ([1, 2, 3], credential, "has 3 bytes and is not a valid key"),
            ] {
                try host.setKeys(key: key)
                try encryption.write(configuration)
                let result = try await host.attempt()
                try #require(result.status == .exited(78), "\(result)")
                try #require(result.errors.contains(message), "\(result)")
                try #require(try contents(of: host.state) == before)
            }
            try encryption.write(credential)
            try host.setKeys(key: Host.key)
            try await host.run { _ in
                try await host.require(child1: Self.secrets[0], reason: "recover")
            }
        }
    }

    @Test func `rekey encrypts stored files, changes their key, and decrypts them`()
        async throws
    {
        try await Host.with { host in
            try await fill(host)
            try host.encrypt()
            // Other files in an application's documents belong to the application.
            let directory = host.state.appending("Documents/org.reprise.StateRestore/index")
            try #require(mkdir(directory.string, 0o700) == 0)
            let own = directory.appending("own")
            try own.write("own".utf8)
            let texts = Self.secrets + ["textField"]
            var listed = ""
            let started = try await host.run { _ in
                try await host.require(child1: Self.secrets[0], reason: "recover")
                listed = try await host.mustControl("history")
                try #require(try !files(with: texts, below: host.state).isEmpty)
                let output = try await host.mustControl("rekey")
                let all = "all stored files are \(try await key(host))\n"
                try #require(output.hasSuffix("rewritten; \(all)"))
                try #require(try files(with: texts, below: host.state) == [])
                let again = try await host.mustControl("rekey")
                try #require(again == all)
                try #require(try own.read() == Array("own".utf8))
                // Times and reasons are unchanged.
                try #require(try await host.mustControl("history") == listed)
                try await host.require(child1: Self.secrets[0], reason: "recover")
            }
            try #require(
                started.log.contains(" files are not encrypted with the key "), "\(started.log)")

            try host.setKeys(key: Self.otherKey, previous: Host.key)
            try await host.run { _ in
                try #require(try await host.mustControl("rekey").contains("rewritten"))
            }
            let encryption = host.directory.appending("config/reprised.d/encryption.yaml")
            try host.setKeys(key: Self.otherKey)
            try await host.run { _ in
                try await host.require(child1: Self.secrets[0], reason: "restore")
                try #require(try await host.mustControl("rollback", "1").contains("rolled back"))
                try await host.require(child1: Self.secrets[0], reason: "replace")
                try encryption.write("preservation: { encryption: none }\n".utf8)
                try await host.awaitOutput("status") { $0.contains("preservation.encryption") }
                let reloaded = try await host.mustControl("reload")
                try #require(reloaded.contains("preservation.encryption"), "\(reloaded)")
            }

            try await host.run { _ in
                let output = try await host.mustControl("rekey")
                try #require(output.hasSuffix("no stored file is encrypted\n"), "\(output)")
            }
            try host.setKeys(key: nil)
            try await host.run { _ in
                try await host.require(child1: Self.secrets[0], reason: "restore")
            }
        }
    }

    private func key(_ host: Host) async throws -> String {
        let status = try await host.mustControl("status")
        let line = status.split(separator: "\n").first ?? ""
        return line.split(separator: ", ").last.map(String.init) ?? ""
    }

    @Test func `inspect requires the key and reads it from a file, a pipe or a credential`()
        async throws
    {
        try await Host.with { host in
            try host.encrypt()
            try await host.run { _ in try await host.mustControl("type", Paths.child1, "seen") }
            let archive = host.archive.string
            let withoutKey = try await host.inspect(archive)
            try #require(withoutKey.status == .exited(1))
            try #require(
                withoutKey.errors.contains("is encrypted and cannot be read without the key ")
                    && withoutKey.errors.contains("--key"), "\(withoutKey)")
            let file = host.credentials.appending("reprise.key").string
            let read = try await host.inspect("--key", file, archive)
            try #require(read.status.isSuccess && read.output.contains("seen"), "\(read)")
            let program = try Programs.reprisectl().string
            let pipe = try await ProgramResult.of(
                ["sh", "-c", "cat \(file) | \(program) inspect --key - '\(archive)'"],
                in: host.directory)
            try #require(pipe.output == read.output, "\(pipe)")
            let credential = try await ProgramResult.of(
                [program, "inspect", archive],
                environment: ["CREDENTIALS_DIRECTORY": host.credentials.string], in: host.directory)
            try #require(credential.output == read.output, "\(credential)")
            let other = host.directory.appending("other")
            try other.write(Self.otherKey)
            let wrongKey = try await host.inspect("--key", other.string, archive)
            try #require(
                wrongKey.status == .exited(1)
                    && wrongKey.errors.contains(", but the command was given "),
                "\(wrongKey)")
            try other.write("no key".utf8)
            let invalid = try await host.inspect("--key", other.string, archive)
            try #require(invalid.status == .exited(2), "\(invalid)")
            try #require(invalid.errors.contains("'\(other)' has 6 bytes and is not a valid key"))
        }
    }
}

extension [UInt8] {
    fileprivate func contains(text: String) -> Bool {
        let text = Array<UInt8>(text.utf8)
        guard count >= text.count else { return false }
        return (0...count - text.count).contains { start in
            self[start] == text[0] && self[start..<start + text.count].elementsEqual(text)
        }
    }
}
