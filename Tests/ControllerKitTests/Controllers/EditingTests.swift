import StateRestoration
import Testing

@testable import ControllerKit

@Suite struct EditingTests {
    @Test(arguments: [true, false])
    func `V2: a controller's edit mode is restored regardless of its initial value`(
        isOn: Bool
    ) throws {
        let first = ViewController.named("page")
        try first.changeEditing(isOn)
        let application = try saved(first)
        let next = ViewController.named("page")
        next.setEditing(!isOn)
        try restore(next, from: application)
        #expect(next.isEditing == isOn)
    }

    @Test
    func `V2: the edit mode of a table without an identifier is restored with its controller`()
        throws
    {
        let first = TableViewController.named("list")
        try first.tableView.changeEditing(true)
        let application = try saved(first)
        let next = TableViewController.named("list")
        try restore(next, from: application)
        #expect(next.tableView.isEditing)
    }
}
