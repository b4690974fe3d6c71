import FoundationEssentials
import StateRestoration
import TestSupport
import Testing

@testable import Preservation
@testable import SampleApplications

/// Tests changes to a list of documents, and the errors of their files.
@Suite struct DocumentListChangeTests {
    private func documents(in directory: String) throws -> DocumentsDirectory {
        try ApplicationStateDirectory(path: "\(directory)/state").documents(of: "org.reprise.Test")
    }

    private final class Observer {
        var callCount = 0
    }

    @Test func `every observer is notified of each change until it is deallocated`() throws {
        try withScratchDirectory { directory in
            let list = try DocumentList<Item>(documents(in: directory))
            let observers = [Observer(), Observer()]
            for observer in observers { list.observe(observer) { $0.callCount += 1 } }
            do {
                let gone = Observer()
                list.observe(gone) { _ in Issue.record("the observer no longer exists") }
            }
            list.append(Item(title: "New"))
            list.move(from: 0, to: 1)
            #expect(observers.map(\.callCount) == [2, 2])
        }
    }

    @Test func `several elements can be removed at once`() throws {
        try withScratchDirectory { directory in
            let list = try DocumentList<Item>(documents(in: directory))
            let ids = list.elements.map(\.id)
            list.remove([ids[0], ids[2]])
            #expect(list.elements.map(\.title) == ["Item 2", "Item 4"])
            #expect(list.missingElementError(for: ids[0]) == .gone)
            #expect(list.missingElementError(for: ids[2]) == .gone)
        }
    }

    @Test func `R3: only the most recently removed elements count as removed on purpose`() throws {
        try withScratchDirectory { directory in
            let list = try DocumentList<Item>(documents(in: directory))
            let ids = (0...1000).map { _ in UUID() }
            list.remove(ids)
            #expect(
                list.missingElementError(for: ids[0])
                    == .declined("Items.json has no element \(ids[0])"))
            for id in [ids[1], ids[1000]] { #expect(list.missingElementError(for: id) == .gone) }
        }
    }

    @Test(arguments: ["Items.json", "RemovedItems.json"])
    func `P19: a list whose document cannot be written reports the error and writes it later`(
        name: String
    ) throws {
        try withScratchDirectory { directory in
            let documents = try documents(in: directory)
            let list = try DocumentList<Item>(documents)
            try list.saveChanges()
            list.remove([list.elements[0].id])
            // A directory in the place of the document.
            let path = documents.path(of: name)
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
            #expect(throws: (any Error).self) { try list.saveChanges() }
            #expect(list.hasChanges)
            try FileManager.default.removeItem(atPath: path)
            try list.saveChanges()
            #expect(!list.hasChanges)
            #expect(try DocumentList<Item>(documents).elements.count == 3)
        }
    }
}
