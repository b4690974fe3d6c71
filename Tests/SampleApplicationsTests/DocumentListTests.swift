import ControllerKit
import FoundationEssentials
import StateRestoration
import TestSupport
import Testing

@testable import Preservation
@testable import SampleApplications

@Suite struct DocumentListTests {
    private func documents(in directory: String) throws -> DocumentsDirectory {
        try ApplicationStateDirectory(path: "\(directory)/state").documents(of: "org.reprise.Test")
    }

    @Test func `P19: a list writes only the changed documents and then has no changes`()
        throws
    {
        try withScratchDirectory { directory in
            let documents = try documents(in: directory)
            let list = try DocumentList<Item>(documents)
            /// Saves the changes, and returns the names of the documents that were written.
            func written() throws -> [String] {
                let names = ["Items.json", "RemovedItems.json"]
                for name in names {
                    try? FileManager.default.removeItem(atPath: documents.path(of: name))
                }
                try list.saveChanges()
                #expect(!list.hasChanges)
                return names.filter {
                    FileManager.default.fileExists(atPath: documents.path(of: $0))
                }
            }
            #expect(list.hasChanges)
            #expect(try written() == ["Items.json"])
            #expect(try written() == [])
            list.append(Item(title: "New"))
            #expect(list.hasChanges)
            #expect(try written() == ["Items.json"])
            list.remove([list.elements[0].id])
            #expect(list.hasChanges)
            #expect(try written() == ["Items.json", "RemovedItems.json"])
            list.move(from: 0, to: 1)
            #expect(list.hasChanges)
            #expect(try written() == ["Items.json"])
        }
    }

    @Test func `a removed element can be inserted again and is then no longer reported as removed`()
        throws
    {
        try withScratchDirectory { directory in
            let list = try DocumentList<Item>(documents(in: directory))
            let removed = list.elements[1]
            list.remove([removed.id, list.elements[3].id])
            guard case .gone = list.missingElementError(for: removed.id) else {
                Issue.record("the element is not reported as removed")
                return
            }
            list.insert(removed, at: 1)
            list.insert(removed, at: 0)
            #expect(list.elements.map(\.title) == ["Item 1", "Item 2", "Item 3"])
            guard case .declined = list.missingElementError(for: removed.id) else {
                Issue.record("the element is still reported as removed")
                return
            }
            let late = Item(title: "late")
            list.insert(late, at: 99)
            #expect(list.elements.last?.id == late.id)
        }
    }

    @Test func `R14: a detail controller reports state that its superclass cannot decode`() throws {
        try withScratchDirectory { directory in
            let store = try DocumentList<Possession>(
                documents(in: directory), name: "Possessions.json")
            let names = NameTable()
            let passMetadata = PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: "")
            let encoder = StateEncoder(names: names, passMetadata: passMetadata)
            encoder.begin()
            encoder.encode("yes", forKey: "isEditing")
            let source = SharedDecoderData(
                names: names, passMetadata: passMetadata, path: { _ in "detail" },
                object: { _ in nil })
            let decoder = StateDecoder(
                source, number: RecordNumber(1), SavedValues(encoder.bytes[encoder.valuesRange()]))
            #expect(throws: (any Error).self) {
                try decoder.decodeState(
                    of: DetailViewController(isNewPossession: true, store: store))
            }
        }
    }
}
