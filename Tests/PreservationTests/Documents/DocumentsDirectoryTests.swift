import FoundationEssentials
import Glibc
import LinuxIO
import SavedState
import SimulatedDisk
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

@Suite struct DocumentsDirectoryTests {
    private static let identifier = "org.example.Notes"

    private func documents(_ scratch: ScratchDirectory) throws -> DocumentsDirectory {
        try ApplicationStateDirectory(path: scratch.stateDirectory).documents(of: Self.identifier)
    }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status.st_mode & 0o7777
    }

    @Test func `L7: a document is stored outside the saved state, and only its owner can read it`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let documents = try documents(scratch)
            try documents.replace("items.json", with: [1, 2, 3])
            let directory = "\(scratch.stateDirectory)/Documents/\(Self.identifier)"
            #expect(documents.path == directory)
            #expect(documents.path(of: "items.json") == "\(directory)/items.json")
            #expect(try ScratchDirectory.bytes(of: "\(directory)/items.json") == [1, 2, 3])
            #expect(try mode("\(scratch.stateDirectory)/Documents") == 0o700)
            #expect(try mode(directory) == 0o700)
            #expect(try mode("\(directory)/items.json") == 0o600)
            #expect(try ScratchDirectory.names(in: directory) == ["items.json"])
        }
    }

    @Test func `a JSON document has sorted keys, and a failed replacement throws an error`() throws
    {
        let disk = SimulatedDisk()
        let documents = DocumentsDirectory(
            try StateDirectory(locked: disk.root, pid: 1), bundleIdentifier: Self.identifier)
        #expect(try documents.readJSON([String: Int].self, from: "a") == nil)
        try documents.replaceJSON("a", with: ["c": 1, "b": 2])
        #expect(
            try documents.read("a").map { String(decoding: $0, as: UTF8.self) }
                == "{\n  \"b\" : 2,\n  \"c\" : 1\n}")
        #expect(try documents.readJSON(from: "a") == ["b": 2, "c": 1])
        disk.inject(SimulatedDisk.Fault(operation: 1, code: ENOSPC, isPermanent: true))
        #expect(throws: (any Error).self) { try documents.replaceJSON("a", with: ["d": 3]) }
        disk.inject(nil)
        #expect(try documents.readJSON(from: "a") == ["b": 2, "c": 1])
    }

    @Test(arguments: [
        ("{", ""), ("{\"a\":[]}", "the key b is missing"),
        ("{\"a\":[1,\"x\"],\"b\":1}", "at .a[1]: "), ("{\"a\":[1],\"b\":null}", "at .b: "),
    ])
    func `an undecodable JSON document is reported with its path and the failing key`(
        text: String, start: String
    ) throws {
        struct Content: Decodable {
            let a: [Int]
            let b: Int
        }
        let documents = DocumentsDirectory(
            try StateDirectory(locked: SimulatedDisk().root, pid: 1),
            bundleIdentifier: Self.identifier)
        try documents.replace("a", with: Array(text.utf8))
        let error = #expect(throws: UnreadableDocument.self) {
            try documents.readJSON(Content.self, from: "a")
        }
        #expect(error?.path == documents.path(of: "a"))
        #expect(error?.reason.hasPrefix(start) == true)
        #expect(error?.reason.hasSuffix(".") == false)
    }

    @Test func `L7: a written document survives a power cut, whichever operation failed before`()
        throws
    {
        for number in 1... {
            let disk = SimulatedDisk()
            let state = try StateDirectory(locked: disk.root, pid: 1)
            let documents = DocumentsDirectory(state, bundleIdentifier: Self.identifier)
            disk.inject(SimulatedDisk.Fault(operation: number, code: EIO))
            var isWritten = true
            do { try documents.replace("a", with: [1]) } catch { isWritten = false }
            let hasFailed = disk.hasFaultOccurred
            disk.inject(nil)
            if !isWritten { try documents.replace("a", with: [1]) }
            #expect(
                disk.copy(afterPowerCut: true).file("Documents/\(Self.identifier)/a") == [1],
                "operation \(number) failed")
            if !hasFailed {
                #expect(number > 5)
                return
            }
        }
    }

    @Test(arguments: [false, true])
    func `L9: a document that another program removes is recreated`(
        removesDirectory: Bool
    ) async throws {
        try await withScratchDirectory { scratch in
            let directory = try ApplicationStateDirectory(path: scratch.stateDirectory)
            let documents = directory.documents(of: Self.identifier)
            try documents.replace("a", with: [1])
            try documents.replace("b", with: [2])
            try documents.replace("a", with: [3])
            #expect(documents.recreateRemovedDocuments().isEmpty)
            if removesDirectory {
                try FileManager.default.removeItem(atPath: documents.path)
            } else {
                unlink(documents.path(of: "a"))
            }
            let restored = documents.recreateRemovedDocuments()
            #expect(restored.map(\.name) == (removesDirectory ? ["a", "b"] : ["a"]))
            #expect(restored.allSatisfy { $0.failure == nil })
            #expect(try documents.read("a") == [3])
            #expect(try documents.read("b") == [2])
            // Documents that were only read are recreated as well.
            let others = directory.documents(of: Self.identifier)
            #expect(try others.read("b") == [2])
            unlink(documents.path(of: "b"))
            #expect(others.recreateRemovedDocuments().map(\.name) == ["b"])
            #expect(try others.read("b") == [2])
        }
    }

    /// Settings of an application whose model has the count 7.
    private static var countingSeven: HostedSettings {
        var settings = HostedSettings()
        settings.makeModel = { documents in
            let model = try DocumentModel(documents)
            model.count = 7
            return model
        }
        return settings
    }

    @Test func `a running application logs each document that another program removed`()
        async throws
    {
        var settings = HostedSettings()
        settings.makeModel = { documents in
            try documents.replace("title", with: [1])
            let model = try DocumentModel(documents)
            model.count = 7
            return model
        }
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch, settings) { hosted async throws in
                _ = try await hosted.application.preserve()
                let paths = ["count", "title"].map { "\(hosted.application.documentsPath)/\($0)" }
                for path in paths { try #require(unlink(path) == 0) }
                await hosted.application.checkDocuments()
                #expect(try paths.map { try ScratchDirectory.bytes(of: $0) } == [[7], [1]])
                for path in paths {
                    #expect(
                        hosted.log.entries.contains {
                            $0.message.contains("the document \(path), and it was written again")
                        })
                }
            }
        }
    }

    @Test
    func `L9: a document removed while the application is stopped is not reported as removed`()
        async throws
    {
        try await withScratchDirectory { scratch in
            try await withNotes(in: scratch, Self.countingSeven) { hosted async throws in
                _ = try await hosted.application.preserve()
                try await hosted.application.quitUntilLaunch()
                let path = "\(hosted.application.documentsPath)/count"
                try #require(unlink(path) == 0)
                try await hosted.application.launch()
                await hosted.application.checkDocuments()
                let messages = hosted.log.entries.map(\.message)
                #expect(!messages.contains { $0.contains("removed the document") })
            }
        }
    }

    @Test func `L7: a removed document is recreated with its newest contents, whoever wrote them`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let directory = try ApplicationStateDirectory(path: scratch.stateDirectory)
            let documents = directory.documents(of: Self.identifier)
            try documents.replace("a", with: [1])
            unlink(documents.path(of: "a"))
            try ScratchDirectory.write(Array("other".utf8), to: documents.path(of: "a"))
            #expect(documents.recreateRemovedDocuments().isEmpty)
            unlink(documents.path(of: "a"))
            #expect(documents.recreateRemovedDocuments().map(\.name) == ["a"])
            #expect(try documents.read("a") == Array("other".utf8))
            // If a document is missing when it is read, it is not recreated.
            unlink(documents.path(of: "a"))
            #expect(try documents.read("a") == nil)
            #expect(documents.recreateRemovedDocuments().isEmpty)
        }
    }

    @Test func `a document is replaced as a whole, and no temporary file remains`() async throws {
        try await withScratchDirectory { scratch in
            let documents = try documents(scratch)
            #expect(try documents.read("a") == nil)
            try documents.replace("a", with: Array(repeating: 7, count: 100_000))
            let file = try ScratchDirectory.inode(documents.path(of: "a"))
            try documents.replace("a", with: [])
            #expect(try documents.read("a") == [])
            #expect(try ScratchDirectory.inode(documents.path(of: "a")) != file)
            // A temporary file left by a power cut does not prevent a replacement.
            try ScratchDirectory.write([9], to: documents.path(of: ".a.new"))
            try documents.replace("a", with: [1])
            #expect(try documents.read("a") == [1])
            #expect(try ScratchDirectory.names(in: documents.path) == ["a"])
        }
    }

    @Test func `reading a missing document creates nothing`() async throws {
        try await withScratchDirectory { scratch in
            let documents = try documents(scratch)
            #expect(try documents.read("a") == nil)
            #expect(
                !FileManager.default.fileExists(atPath: "\(scratch.stateDirectory)/Documents"))
        }
    }

    @Test(arguments: [
        "", ".", "..", ".hidden", "a/b", "/a", "a\u{0}b", "a\nb", "\u{7F}",
        String(repeating: "a", count: 251), String(repeating: "ü", count: 126),
    ])
    func `an invalid document name is refused`(name: String) async throws {
        try await withScratchDirectory { scratch in
            let documents = try documents(scratch)
            #expect(throws: DocumentError.invalidName(name)) { try documents.read(name) }
            #expect(throws: DocumentError.invalidName(name)) {
                try documents.replace(name, with: [])
            }
            let sentence = "\(DocumentError.invalidName(name))"
            #expect(sentence.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
            #expect(
                !FileManager.default.fileExists(atPath: "\(scratch.stateDirectory)/Documents"))
        }
    }

    @Test(arguments: [String(repeating: "ü", count: 125), " ", "a b", "a.", "~", "\u{80}"])
    func `document names of the maximum length or with unusual characters are accepted`(
        name: String
    ) async throws {
        try await withScratchDirectory { scratch in
            let documents = try documents(scratch)
            try documents.replace(name, with: [1])
            #expect(try documents.read(name) == [1])
        }
    }

    @Test func `open documents are limited to 64 per application and an eighth of all descriptors`()
        async throws
    {
        // The limit applies to the whole process.
        await #expect(processExitsWith: .success) {
            var limit = rlimit()
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            try #require(getrlimit(resource, &limit) == 0)
            limit.rlim_cur = 800
            try #require(setrlimit(resource, &limit) == 0)
            try await withScratchDirectory { scratch in
                let directory = try ApplicationStateDirectory(path: scratch.stateDirectory)
                let first = directory.documents(of: "org.example.First")
                let second = directory.documents(of: "org.example.Second")
                for (documents, count) in [(first, 65), (second, 40)] {
                    for number in 0..<count { try documents.replace("\(number)", with: [1]) }
                }
                for documents in [first, second] {
                    try FileManager.default.removeItem(atPath: documents.path)
                }
                #expect(first.recreateRemovedDocuments().count == 64)
                #expect(second.recreateRemovedDocuments().count == 36)
                // Closing a document makes room for another document.
                unlink(first.path(of: "1"))
                #expect(try first.read("1") == nil)
                try second.replace("last", with: [2])
                unlink(second.path(of: "last"))
                #expect(second.recreateRemovedDocuments().map(\.name) == ["last"])
            }
        }
    }

    @Test func `reading a document above the limit fails with its path and errno`() async throws {
        try await withScratchDirectory { scratch in
            let documents = try documents(scratch)
            try documents.replace("a", with: [1, 2, 3])
            #expect(try documents.read("a", limit: 3) == [1, 2, 3])
            let error = #expect(throws: DocumentError.self) { try documents.read("a", limit: 2) }
            guard case .io(documents.path(of: "a"), EFBIG, let sentence) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(sentence.contains(documents.path(of: "a")))
        }
    }

    @Test func `a directory in place of a document is refused and left unchanged`() async throws {
        try await withScratchDirectory { scratch in
            let documents = try documents(scratch)
            try documents.replace("a", with: [1])
            try FileManager.default.createDirectory(
                atPath: documents.path(of: "b"), withIntermediateDirectories: false)
            #expect(throws: DocumentError.self) { try documents.read("b") }
            #expect(throws: DocumentError.self) { try documents.replace("b", with: [1]) }
            #expect(try ScratchDirectory.names(in: documents.path) == ["a", "b"])
        }
    }

    @Test func `a replaced document and its parent directories are durable on return`() async throws
    {
        try await withScratchDirectory { scratch in
            let watch = DirectoryWatch()
            let documents = try scratch.watched(by: watch).documents(of: Self.identifier)
            watch.clear()
            try documents.replace("a", with: [1])
            let root = scratch.stateDirectory
            #expect(
                watch.synchronized == [root, "\(root)/Documents", documents.path])
            watch.clear()
            try documents.replace("a", with: [2])
            #expect(watch.synchronized == [documents.path])
        }
    }

    @Test func `a failed replacement keeps the document, and the next attempt succeeds`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let watch = DirectoryWatch()
            let documents = try scratch.watched(by: watch).documents(of: Self.identifier)
            try documents.replace("a", with: [1])
            watch.fail(".a.new", with: ENOSPC)
            let error = #expect(throws: DocumentError.self) {
                try documents.replace("a", with: [2])
            }
            guard case .io(documents.path(of: ".a.new"), ENOSPC, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try documents.read("a") == [1])
            watch.fail(".a.new", with: nil)
            try documents.replace("a", with: [3])
            #expect(try documents.read("a") == [3])
        }
    }

    @Test
    func
        `a model reads its saved data again, and the error about a damaged document names the file`()
        async throws
    {
        try await withScratchDirectory { scratch in
            let directory = try ApplicationStateDirectory(path: scratch.stateDirectory)
                .documents(of: "org.example.Tasks")
            let tasks = try Tasks(directory)
            tasks.names = ["wash", "dry"]
            try tasks.saveChanges()
            #expect(try Tasks(directory).names == ["wash", "dry"])
            try directory.replace("tasks.json", with: Array("[1".utf8))
            let error = #expect(throws: UnreadableDocument.self) { try Tasks(directory) }
            #expect("\(try #require(error))".contains(directory.path(of: "tasks.json")))
        }
    }

    @Test func `a document too large to be read again is not written`() async throws {
        try await withScratchDirectory { scratch in
            let documents = try documents(scratch)
            let most = Array(repeating: UInt8(7), count: DocumentsDirectory.maximumDocumentSize)
            try documents.replace("a", with: most)
            #expect(try documents.read("a")?.count == most.count)
            let error = #expect(throws: DocumentError.self) {
                try documents.replace("a", with: most + [7])
            }
            guard case .io(let path, EFBIG, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(path == documents.path(of: "a"))
            #expect(try documents.read("a")?.count == most.count)
        }
    }

    @Test func `a document that cannot be opened can still be replaced`() async throws {
        try await withScratchDirectory { scratch in
            let documents = try documents(scratch)
            // A loop of symbolic links is as unreadable as a file without read permission.
            try documents.replace("b", with: [1])
            try FileManager.default.createSymbolicLink(
                atPath: documents.path(of: "a"), withDestinationPath: "a")
            try documents.replace("a", with: [2])
            #expect(try documents.read("a") == [2])
        }
    }

    @Test func `a JSON document is pretty-printed with sorted keys`() async throws {
        try await withScratchDirectory { scratch in
            let documents = try documents(scratch)
            try documents.replaceJSON("a.json", with: ["b": "x/y", "a": "z"])
            let text = String(decoding: try #require(try documents.read("a.json")), as: UTF8.self)
            #expect(text.split(separator: "\n").count == 4)
            #expect(text.contains("x/y"))
            let (first, second) = (text.firstRange(of: "\"a\""), text.firstRange(of: "\"b\""))
            #expect(try #require(first).lowerBound < #require(second).lowerBound)
        }
    }

    @Test func `forgotten documents are no longer listed as open`() throws {
        let open = OpenDocuments()
        let disk = SimulatedDisk()
        for name in ["a", "b"] { open.keepOpen(try disk.root.createFile(name), as: name) }
        #expect(open.openFiles.map(\.name) == ["a", "b"])
        open.close("a")
        #expect(open.openFiles.map(\.name) == ["b"])
        open.closeAll()
        #expect(open.openFiles.isEmpty)
    }

    private struct Content: Codable {
        struct Part: Codable { var name: String }

        var parts: [Part]
    }

    @Test(
        arguments: [
            (#"{"parts":[{"name":"a"},{}]}"#, "at .parts[1]: the key name is missing"),
            (#"{}"#, "the key parts is missing"), (#"{"parts":3}"#, "at .parts: "),
            (#"{"parts":[{"name":"a"},{"name":1}]}"#, "at .parts[1].name: "),
        ])
    func `a decoding error names the failing element, and a missing JSON document is nil`(
        text: String, reason: String
    ) async throws {
        try await withScratchDirectory { scratch in
            let documents = try documents(scratch)
            try documents.replace("a.json", with: Array(text.utf8))
            let error = #expect(throws: UnreadableDocument.self) {
                try documents.readJSON(Content.self, from: "a.json")
            }
            #expect(error?.reason.hasPrefix(reason) == true)
            #expect(error?.reason.hasSuffix(".") == false)
            #expect(error?.path == documents.path(of: "a.json"))
            #expect(try documents.readJSON(Content.self, from: "b.json") == nil)
        }
    }
}
