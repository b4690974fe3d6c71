import ControllerKit
import FoundationEssentials
import Preservation
import RepriseControl
import StateRestoration
import TestSupport
import Testing

@testable import Reprise
@testable import SampleApplications

@Suite struct StateRestoreTests {
    private static let table = "navController/tableViewController/tableView"
    private static let list = "navController/tableViewController"
    private static let detail = "navController/viewController"

    private static func document(in directory: String) -> URL {
        URL(filePath: "\(directory)/state/Documents/org.reprise.StateRestore/Items.json")
    }

    private static func items(in directory: String) throws -> [Item] {
        try JSONDecoder().decode([Item].self, from: Data(contentsOf: document(in: directory)))
    }

    private static func write(_ items: [Item], in directory: String) throws {
        try JSONEncoder().encode(items).write(to: document(in: directory))
    }

    @Test func `A2: the first launch creates four items`() async throws {
        try await withScratchDirectory { directory in
            try await withApplication(.stateRestore, in: directory) { _ in }
            #expect(try Self.items(in: directory).map(\.title) == (1...4).map { "Item \($0)" })
            try Self.write([], in: directory)
            try await withApplication(.stateRestore, in: directory) { _ in }
            #expect(try Self.items(in: directory).isEmpty)
        }
    }

    @Test func `V3: the selection and the first visible row follow their items`() async throws {
        try await withScratchDirectory { directory in
            let before = try await withApplication(.stateRestore, in: directory) {
                application async throws in
                for _ in 0..<4 {
                    try await application.command { _ = try $0.tap(at: "\(Self.list)/@addButton") }
                }
                try await application.command { _ = try $0.select([0, 3], at: Self.table) }
                try await application.command {
                    _ = try $0.scroll(to: .init(x: 0, y: 2), at: Self.table)
                }
                return try Self.items(in: directory)
            }
            // The first item has been removed, and the others have been reordered.
            let order = [5, 1, 4, 2, 3, 6, 7].map { before[$0] }
            try Self.write(order, in: directory)
            try await withApplication(.stateRestore, in: directory) { application async throws in
                #expect(
                    try await application.value("selectedElements", at: Self.table)
                        == .array([.integer(4)]))
                #expect(
                    try await application.value("firstVisibleElement", at: Self.table)
                        == .integer(3))
            }
        }
    }

    @Test func `dismissing a detail controller with unsaved changes requires confirmation`()
        async throws
    {
        let unsaved = ControlError.unsavedChanges(path: Self.detail, method: "dismiss")
        try await withScratchDirectory { directory in
            try await withApplication(.stateRestore, in: directory) { application async throws in
                try await application.command { _ = try $0.tap(row: 0, at: Self.table) }
                try await application.command { _ = try $0.dismiss(keepsChanges: true) }
                try await application.command { _ = try $0.tap(row: 0, at: Self.table) }
                for view in ["EditField", "TextView"] {
                    let path = "\(Self.detail)/\(view)"
                    let before = try await application.value("text", at: path)
                    try await application.command {
                        _ = try $0.type("x", isAppended: true, at: path)
                    }
                    await #expect(throws: unsaved) {
                        try await application.command { _ = try $0.dismiss(keepsChanges: true) }
                    }
                    guard view == "EditField", case .string(let text)? = before else { continue }
                    try await application.command { _ = try $0.type(text, at: path) }
                }
            }
            // The user is asked even after a restart, until the change has been saved.
            try await withApplication(.stateRestore, in: directory) { application async throws in
                await #expect(throws: unsaved) {
                    try await application.command { _ = try $0.dismiss(keepsChanges: true) }
                }
                try await application.command { _ = try $0.tap(at: "\(Self.detail)/@saveButton") }
                try await application.command { _ = try $0.tap(row: 0, at: Self.table) }
                try await application.command { _ = try $0.dismiss(keepsChanges: true) }
            }
        }
    }

    @Test func `A2: buttons match the restored edit mode and selection`() async throws {
        try await withScratchDirectory { directory in
            try await withApplication(.stateRestore, in: directory) { application async throws in
                let picture = try await application.picture()
                #expect(picture.contains("‹Edit›"))
                #expect(picture.contains("(Delete)"))
                try await application.command { _ = try $0.edit(true, at: Self.table) }
                try await application.command { _ = try $0.select([1], at: Self.table) }
            }
            try await withApplication(.stateRestore, in: directory) { application async throws in
                let picture = try await application.picture()
                #expect(picture.contains("‹Done›"))
                #expect(picture.contains("‹Delete›"))
                // The buttons of the restored list still work.
                try await application.command { _ = try $0.tap(at: "\(Self.list)/@deleteButton") }
                #expect(try await application.picture().contains("(Delete)"))
            }
            #expect(try Self.items(in: directory).map(\.title) == ["Item 1", "Item 3", "Item 4"])
        }
    }

    @Test func `A2: deletions and moves are written to the model before the command replies`()
        async throws
    {
        try await withScratchDirectory { directory in
            try await withApplication(.stateRestore, in: directory) { application async throws in
                try await application.command { _ = try $0.move(from: 3, to: 0, at: Self.table) }
                #expect(
                    try Self.items(in: directory).map(\.title)
                        == ["Item 4", "Item 1", "Item 2", "Item 3"])
                try await application.command { _ = try $0.delete(row: 1, at: Self.table) }
                #expect(
                    try Self.items(in: directory).map(\.title) == ["Item 4", "Item 2", "Item 3"])
            }
        }
    }

    @Test func `A2: deleting the selected row disables the Delete button at once`() async throws {
        try await withScratchDirectory { directory in
            try await withApplication(.stateRestore, in: directory) { application in
                try await application.command { _ = try $0.select([2], at: Self.table) }
                #expect(try await application.picture().contains("‹Delete›"))
                try await application.command { _ = try $0.delete(row: 2, at: Self.table) }
                #expect(try await application.picture().contains("(Delete)"))
            }
        }
    }

    @Test func `A2: the restored detail controller is connected to its list`() async throws {
        try await withScratchDirectory { directory in
            try await withApplication(.stateRestore, in: directory) { application async throws in
                try await application.command { _ = try $0.tap(row: 2, at: Self.table) }
                try await application.command {
                    _ = try $0.type("Changed", at: "\(Self.detail)/EditField")
                }
                #expect(try Self.items(in: directory)[2].title == "Item 3")
            }
            try await withApplication(.stateRestore, in: directory) { application async throws in
                try await application.command { _ = try $0.tap(at: "\(Self.detail)/@saveButton") }
                let picture = try await application.picture()
                #expect(picture.contains("Changed"))
                #expect(picture.contains("‹Edit›"))
            }
            #expect(try Self.items(in: directory)[2].title == "Changed")
        }
    }

    @Test func `A2: deleting an item in another scene closes its detail controller`() async throws {
        try await withScratchDirectory { directory in
            try await withApplication(.stateRestore, in: directory) { application async throws in
                try await application.open(scene: "other")
                try await application.command("other") { _ = try $0.tap(row: 1, at: Self.table) }
                #expect(try await application.picture("other").contains("Item 2▏"))
                try await application.command { _ = try $0.delete(row: 1, at: Self.table) }
                let picture = try await application.picture("other")
                #expect(picture.contains("Item 1"))
                #expect(!picture.contains("Item 2"))
            }
        }
    }

    @Test
    func `L4: unsaved changes removed by a deletion in the same scene are added to the history`()
        async throws
    {
        try await withScratchDirectory { directory in
            try await withApplication(.stateRestore, in: directory) { application async throws in
                try await application.command { _ = try $0.tap(row: 1, at: Self.table) }
                // Discarding a detail without changes loses no state.
                try await application.command { _ = try $0.delete(row: 1, at: Self.table) }
                #expect(try await application.report().vanished == [])
                #expect(try await application.history().count == 0)

                try await application.command { _ = try $0.tap(row: 1, at: Self.table) }
                try await application.command {
                    _ = try $0.type("Unsaved", at: "\(Self.detail)/EditField")
                }
                try await application.command { _ = try $0.delete(row: 1, at: Self.table) }
                let lines = try await application.report().vanished
                #expect(lines.contains { $0.hasPrefix("\(Self.detail): ") }, "\(lines)")
                #expect(
                    lines.allSatisfy { $0.contains(#"rollBack(to: "1", scene: "main")"#) },
                    "\(lines)")
                let generations = try await application.history()
                #expect(
                    generations.map(\.reason)
                        == ["a deletion in the scene main removed unsaved changes"])
                let copy = try #require(
                    try await application.findNewestGeneration(of: Self.detail, in: "main"))
                #expect(copy.hasPrefix("Generation 000001 contains it as "), "\(copy)")
                #expect(copy.contains(#"rollBack(to: "1", scene: "main")"#), "\(copy)")
                #expect(
                    try await application.findNewestGeneration(
                        of: "\(Self.detail)/none", in: "main") == nil)
            }
        }
    }

    @Test
    func `L4: a detail controller that another scene closes is added to the history and reported`()
        async throws
    {
        try await withScratchDirectory { directory in
            try await withApplication(.stateRestore, in: directory) { application async throws in
                try await application.open(scene: "other")
                try await application.command("other") { _ = try $0.tap(row: 1, at: Self.table) }
                try await application.command("other") {
                    _ = try $0.type("Unsaved", at: "\(Self.detail)/EditField")
                }
                // The other scene is inspected in the same turn.
                try await application.command(lookingAt: "other") {
                    _ = try $0.delete(row: 1, at: Self.table)
                }
                let told = try await application.report(scene: "other").vanished
                #expect(told.count == 1)
                #expect(
                    told.first?.hasPrefix("\(Self.detail): the state is in the history") == true)
                #expect(told.first?.contains(#"rollBack(to: "1", scene: "other")"#) == true)
                #expect(try await application.report().vanished == [])
                let kept = try await application.history()
                #expect(kept.count == 1)
                #expect(kept.first?.reason?.contains("the scene other") == true)
                let bytes = try Data(contentsOf: URL(filePath: try #require(kept.first).path))
                #expect(bytes.contains("Unsaved".utf8))

                // A controller that the user closes in its own scene is not reported as lost.
                try await application.command("other") { _ = try $0.tap(row: 1, at: Self.table) }
                try await application.command("other") {
                    _ = try $0.tap(at: "\(Self.detail)/@cancelButton")
                }
                #expect(try await application.history().count == 1)
                #expect(try await application.report(scene: "other").vanished.count == 1)
            }
        }
    }

    @Test func `R15: a detail controller that is no longer presented does not count as restored`()
        async throws
    {
        try await withScratchDirectory { directory in
            try await withApplication(.stateRestore, in: directory) { application in
                try await application.command { _ = try $0.tap(row: 3, at: Self.table) }
            }
            let items = try Self.items(in: directory)
            try Self.write(Array(items.dropLast()), in: directory)
            try await withApplication(.stateRestore, in: directory) { application async throws in
                let report = try await application.report()
                #expect(report.unrestored.first?.code == .restorationClassNil)
                #expect(
                    report.unrestored.first?.detail.contains("Items.json has no element") == true)
                #expect(report.restored == 3)
                // The presenter of the detail changes, and therefore no longer claims the detail
                // (R16).
                try await application.command { _ = try $0.edit(true, at: "navController") }
            }
            // The item exists again and its detail could be recreated, but no controller was
            // presented last.
            try Self.write(items, in: directory)
            try await withApplication(.stateRestore, in: directory) { application async throws in
                let report = try await application.report()
                #expect(report.recorded == 6)
                #expect(report.restored == 3)
                #expect(report.unrestored.map(\.path).first == Self.detail)
                #expect(report.unrestored.map(\.code).first == .noObject)
                #expect(report.unclaimed == 3)
                #expect(try await application.picture().contains("Item 1"))
            }
        }
    }

    @Test
    func `R8 and R16: a detail controller is presented again after two launches without its item`()
        async throws
    {
        try await withScratchDirectory { directory in
            try await withApplication(.stateRestore, in: directory) { application in
                try await application.command { _ = try $0.tap(row: 3, at: Self.table) }
                try await application.command {
                    _ = try $0.type("Unsaved", at: "\(Self.detail)/EditField")
                }
            }
            let items = try Self.items(in: directory)
            try Self.write(Array(items.dropLast()), in: directory)
            for row in 0...1 {
                try await withApplication(.stateRestore, in: directory) { application in
                    try await application.command { _ = try $0.select([row], at: Self.table) }
                    #expect(try await application.report().unclaimed == 3)
                }
            }
            try Self.write(items, in: directory)
            try await withApplication(.stateRestore, in: directory) { application async throws in
                let report = try await application.report()
                #expect(report.unrestored == [])
                #expect(report.unclaimed == 0)
                #expect(try await application.picture().contains("Unsaved▏"))
            }
        }
    }

    @Test func `R3: the detail controller of an item deleted by the user is reported as gone`()
        async throws
    {
        try await withScratchDirectory { directory in
            try await withApplication(.stateRestore, in: directory) { application async throws in
                try await application.open(scene: "other")
                try await application.command("other") { _ = try $0.tap(row: 1, at: Self.table) }
                try await application.close(scene: "other")
                try await application.command { _ = try $0.delete(row: 1, at: Self.table) }
                try await application.open(scene: "other")
                let report = try await application.report(scene: "other")
                #expect(report.unrestored == [])
                #expect(report.gone.first == Self.detail)
                #expect(!report.hasUnassignedRecords)
                #expect(try await application.history() == [])
            }
            try await withApplication(.stateRestore, in: directory) { application async throws in
                #expect(try await application.report(scene: "other").gone == [])
            }
        }
    }

    @Test func `A2: Save closes the detail controller even if the storyboard pushes it`()
        async throws
    {
        let storyboard = try ShippedStoryboard.text("StateRestore.yaml")
            .replacing("kind: present", with: "kind: show")
        try await withScratchDirectory { directory in
            try await withApplication(
                .stateRestore, in: directory, storyboards: ["StateRestore.yaml": storyboard]
            ) { application in
                try await application.command { _ = try $0.tap(row: 0, at: Self.table) }
                #expect(try await application.picture().contains("Item 1▏"))
                try await application.command { _ = try $0.tap(at: "\(Self.detail)/@saveButton") }
                #expect(try await application.picture().contains("Item 4"))
            }
        }
    }
}
