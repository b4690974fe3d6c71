import ControllerKit
import StateRestoration
import Testing

@Suite struct SegmentedControlTests {
    private func made(_ selected: Int? = nil) -> SegmentedControl {
        let control = SegmentedControl()
        control.segments = ["First", "Second"]
        control.selectedSegmentIndex = selected
        control.restorationIdentifier = "control"
        return control
    }

    @Test(arguments: [-1, 2, Int.max, Int.min])
    func `choosing a missing segment throws an error, and setting a missing index selects none`(
        index: Int
    ) {
        let control = made(1)
        #expect(throws: OperationError.noSuchElement(index: index, count: 2)) {
            try control.select([index])
        }
        #expect(control.selectedSegmentIndex == 1)
        control.selectedSegmentIndex = index
        #expect(control.selectedSegmentIndex == nil)
    }

    @Test func `choosing a segment runs the actions, but setting the index does not`() throws {
        let control = made()
        var runs = 0
        control.addAction(for: .valueChanged) { runs += 1 }
        control.selectedSegmentIndex = 0
        #expect(runs == 0)
        try control.select([1])
        try control.select([1])
        #expect(runs == 2)
        #expect(control.selectedSegmentIndex == 1)
    }

    @Test func `the user must choose exactly one segment of an enabled control`() {
        let control = made(0)
        #expect(throws: OperationError.tooManyElements(given: 2, maximum: 1)) {
            try control.select([0, 1])
        }
        #expect(throws: OperationError.self) { try control.select([]) }
        control.isEnabled = false
        #expect(throws: OperationError.notPossible("it is disabled")) { try control.select([1]) }
        #expect(control.selectedSegmentIndex == 0)
    }

    @Test func `removing segments drops a selection that no longer fits`() {
        let control = made(1)
        control.segments = ["Only"]
        #expect(control.selectedSegmentIndex == nil)
        control.selectedSegmentIndex = 0
        control.segments = ["Other", "More"]
        #expect(control.selectedSegmentIndex == 0)
    }

    @Test func `the selected title is drawn in brackets`() {
        #expect(lines(of: made(1), width: 24) == ["  First   [ Second ]    "])
    }

    @Test(arguments: [0, 1, nil])
    func `V7: the selected segment or an empty selection is preserved`(selected: Int?) throws {
        func root(_ selected: Int?) -> ViewController {
            let root = ViewController.named("page")
            root.view.addSubview(made(selected))
            return root
        }
        let first = TestApplication(root(selected))
        try first.launch()
        first.save()
        let found = root(1)
        try TestApplication(found).launch(restoring: first)
        let control = try #require(found.view.subviews.first as? SegmentedControl)
        #expect(control.selectedSegmentIndex == selected)
    }

    @Test func `V7: if the saved segment no longer exists, the program's selection is kept`()
        throws
    {
        let control: SegmentedControl = try relaunched(
            { $0.segments = ["First", "Second"] }, change: { $0.selectedSegmentIndex = 1 },
            reloaded: {
                $0.segments = ["Only"]
                $0.selectedSegmentIndex = 0
            })
        #expect(control.selectedSegmentIndex == 0)
        control.segments = ["Only", "Another"]
        #expect(control.selectedSegmentIndex == 0)
    }

    @Test
    func `V7: the saved segment is selected even if segments are set when restoration finishes`()
        throws
    {
        let control: SegmentedControl = try relaunched(
            change: {
                $0.segments = ["a", "b", "c"]
                $0.selectedSegmentIndex = 2
            },
            finished: {
                $0.segments = ["a"]
                $0.segments = ["a", "b", "c"]
            })
        #expect(control.selectedSegmentIndex == 2)
    }

    @Test(arguments: [-1, 2, Int.max, Int.min])
    func `V7: a forged index is dropped`(index: Int) throws {
        let control = made(1)
        try restore(control) { $0.encode(index, forKey: "selectedSegmentIndex") }
        #expect(control.selectedSegmentIndex == 1)
    }

    @Test func `storyboard properties are set, and invalid properties are rejected`() throws {
        let control = SegmentedControl()
        #expect(throws: PropertyError.self) {
            try control.setProperty("selectedSegmentIndex", to: .integer(0))
        }
        try control.setProperty("segments", to: .strings(["a", "b"]))
        try control.setProperty("selectedSegmentIndex", to: .integer(1))
        #expect(
            control.inspectedProperties == [
                "segments": .array([.string("a"), .string("b")]),
                "selectedSegmentIndex": .integer(1), "isEnabled": .bool(true),
                "isHidden": .bool(false),
            ])
        #expect(throws: PropertyError.invalidValue("a whole number is required")) {
            try control.setProperty("selectedSegmentIndex", to: .string("1"))
        }
        #expect(throws: PropertyError.invalidValue("a list of strings is required")) {
            try control.setProperty("segments", to: .string("a"))
        }
        #expect(throws: PropertyError.invalidValue("true or false is required")) {
            try control.setProperty("isHidden", to: .string("yes"))
        }
        #expect(
            throws: PropertyError.unknownProperty(
                known: ["segments", "selectedSegmentIndex", "isEnabled", "isHidden"])
        ) {
            try control.setProperty("title", to: .string("x"))
        }
    }
}
