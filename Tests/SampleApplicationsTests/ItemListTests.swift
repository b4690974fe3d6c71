import FoundationEssentials
import Preservation
import RepriseControl
import TestSupport
import Testing

@testable import Reprise
@testable import SampleApplications

/// Tests the buttons of the list of items and of an item.
@Suite struct ItemListTests {
    private static let list = "navController/tableViewController"
    private static let table = "navController/tableViewController/tableView"
    private static let detail = "navController/viewController"

    private func items(in directory: String) throws -> [Item] {
        let path = "\(directory)/state/Documents/org.reprise.StateRestore/Items.json"
        return try JSONDecoder().decode([Item].self, from: Data(contentsOf: URL(filePath: path)))
    }

    @Test func `A2: the Delete button deletes all selected items`() async throws {
        try await withScratchDirectory { directory in
            try await withApplication(.stateRestore, in: directory) { application in
                try await application.command { _ = try $0.select([0, 2], at: Self.table) }
                try await application.command { _ = try $0.tap(at: "\(Self.list)/@deleteButton") }
            }
            #expect(try items(in: directory).map(\.title) == ["Item 2", "Item 4"])
        }
    }

    @Test func `A2: the Edit button shows the effect of its next tap`() async throws {
        try await withScratchDirectory { directory in
            try await withApplication(.stateRestore, in: directory) { application async throws in
                for title in ["‹Done›", "‹Edit›"] {
                    try await application.command { _ = try $0.tap(at: "\(Self.list)/@editButton") }
                    #expect(try await application.picture().contains(title))
                }
            }
        }
    }

    @Test func `A2: Save stores the title and the notes`() async throws {
        try await withScratchDirectory { directory in
            try await withApplication(.stateRestore, in: directory) { application in
                try await application.command { _ = try $0.tap(row: 0, at: Self.table) }
                try await application.command {
                    _ = try $0.type("New title", at: "\(Self.detail)/EditField")
                }
                try await application.command {
                    _ = try $0.type("New notes", at: "\(Self.detail)/TextView")
                }
                try await application.command { _ = try $0.tap(at: "\(Self.detail)/@saveButton") }
            }
            let item = try #require(try items(in: directory).first)
            #expect(item.title == "New title")
            #expect(item.notes == "New notes")
        }
    }

    @Test func `A2: a detail controller stays open when another item is deleted`() async throws {
        try await withScratchDirectory { directory in
            try await withApplication(.stateRestore, in: directory) { application async throws in
                try await application.open(scene: "other")
                try await application.command("other") { _ = try $0.tap(row: 1, at: Self.table) }
                try await application.command { _ = try $0.delete(row: 0, at: Self.table) }
                #expect(try await application.picture("other").contains("Item 2▏"))
            }
        }
    }
}
