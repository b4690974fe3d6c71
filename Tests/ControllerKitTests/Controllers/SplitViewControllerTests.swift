import ControllerKit
import StateRestoration
import Testing

@Suite struct SplitViewControllerTests {
    private typealias Column = SplitViewController.Column

    private func split(_ names: [RestorationIdentifier?]) -> SplitViewController {
        let split = SplitViewController.named("split")
        split.setStoryboardChildren(names.map { FieldController.named($0) })
        return split
    }

    private func titles(_ split: SplitViewController) -> [String] {
        split.viewControllers.map(\.title)
    }

    @Test func `a column can be assigned a controller and emptied`() {
        let split = SplitViewController()
        split.loadViewIfNeeded()
        let list = ViewController.named("list")
        let detail = ViewController.named("detail")
        split.setViewController(detail, for: .secondary)
        split.setViewController(list, for: .primary)
        #expect(titles(split) == ["list", "detail"])
        #expect(split.view.subviews.count == 2)
        split.setViewController(list, for: .supplementary)
        #expect(split.viewController(for: .primary) == nil)
        #expect(split.viewController(for: .supplementary) === list)
        split.setViewController(nil, for: .supplementary)
        #expect(list.parent == nil)
        #expect(list.view.superview == nil)
        detail.removeFromParent()
        #expect(split.viewControllers.isEmpty)
        #expect(split.view.subviews.isEmpty)
    }

    @Test func `removing a controller from its parent empties its column`() {
        for column in Column.allCases {
            let split = split(["a", "b", "c"])
            split.loadViewIfNeeded()
            let leaving = split.viewController(for: column)
            leaving?.removeFromParent()
            #expect(split.viewController(for: column) == nil)
            #expect(titles(split) == ["a", "b", "c"].filter { $0 != leaving?.title })
            #expect(split.view.subviews.count == 2)
        }
    }

    @Test func `showDetail uses the secondary column, or presents if there is no split controller`()
    {
        let split = split(["list", "old"])
        let navigation = NavigationController()
        let list = ViewController()
        navigation.setViewControllers([list])
        split.setViewController(navigation, for: .primary)
        let detail = ViewController()
        list.showDetail(detail)
        #expect(split.viewController(for: .secondary) === detail)
        #expect(detail.splitViewController === split)
        let alone = ViewController()
        alone.showDetail(ViewController())
        #expect(alone.presentedViewController != nil)
    }

    @Test func `storyboard children are assigned to the columns in order`() {
        #expect(split(["a"]).viewController(for: .primary)?.title == "a")
        let two = split(["a", "b"])
        #expect(two.viewController(for: .secondary)?.title == "b")
        let three = split(["a", "b", "c"])
        #expect(three.viewController(for: .supplementary)?.title == "b")
        #expect(titles(split(["a", "b", "c", "d"])) == ["a", "b", "c"])
        #expect(
            two.inspectedProperties["columns"]
                == .dictionary(["primary": .string("a"), "secondary": .string("b")]))
    }

    @Test func `columns are drawn side by side`() throws {
        let split = split(["a", "b"])
        let controllers = split.viewControllers.compactMap { $0 as? FieldController }
        for controller in controllers { controller.loadViewIfNeeded() }
        controllers[0].field.text = "日本"
        controllers[1].field.text = "detail"
        controllers[1].view.addSubview(TextField())
        let drawn = lines(of: split.view, width: 28)
        #expect(
            Array(drawn.prefix(4)) == [
                "┌───────────┐ │ ┌──────────┐", "│ 日本▏     │ │ │ detail▏  │",
                "└───────────┘ │ └──────────┘", "              │ ┌──────────┐",
            ])
        #expect(drawn.count == 6)
    }

    @Test(arguments: [(19, 1), (18, 2)])
    func `columns are drawn side by side if each one is at least eight characters wide`(
        width: Int, lineCount: Int
    ) {
        let split = SplitViewController()
        split.setStoryboardChildren([labeled("a"), labeled("b")])
        #expect(lines(of: split.view, width: width).count == lineCount)
    }

    /// Returns a controller whose view contains a label.
    private func labeled(_ text: String) -> ViewController {
        let controller = ViewController()
        controller.view.addSubview(Label(text: text))
        return controller
    }

    @Test func `the program's own views are drawn below the columns`() {
        let split = SplitViewController()
        split.setStoryboardChildren([labeled("a"), labeled("b"), labeled("c")])
        split.loadViewIfNeeded()
        for text in ["first", "hidden", "second"] {
            let label = Label(text: text)
            label.isHidden = text == "hidden"
            split.view.addSubview(label)
        }
        // A column is not drawn if it is hidden or if its view has been moved to another view.
        split.viewControllers[0].view.isHidden = true
        let box = View()
        box.addSubview(split.viewControllers[1].view)
        let drawn = lines(of: split.view).map { String($0.prefix { $0 != " " }) }
        #expect(drawn == ["c", "first", "second"])
        #expect(box.subviews.count == 1)
    }

    @Test func `setting a column keeps the other views in place`() {
        let split = SplitViewController()
        let (first, second, third) = (ViewController(), ViewController(), ViewController())
        split.setStoryboardChildren([first, second])
        split.loadViewIfNeeded()
        let label = Label()
        split.view.addSubview(label)
        split.setViewController(third, for: .supplementary)
        #expect(
            split.view.subviews.map(ObjectIdentifier.init)
                == [first.view, second.view, label, third.view].map(ObjectIdentifier.init))
    }

    @Test func `columns that would be too narrow are stacked vertically`() {
        let split = split(["a", "b", "c"])
        for (index, controller) in split.viewControllers.enumerated() {
            controller.loadViewIfNeeded()
            (controller as? FieldController)?.field.text = "\(index)"
        }
        split.loadViewIfNeeded()
        let drawn = lines(of: split.view, width: 20)
        #expect(drawn.count == 9)
        #expect([drawn[1], drawn[4], drawn[7]].map { $0.contains("▏") } == [true, true, true])
        #expect(lines(of: split.view, width: 44).count == 3)
    }

    @Test func `P10: columns with identified controllers are saved by name`() throws {
        let split = split(["a", nil, "c"])
        let application = try saved(split)
        #expect(
            try application.values(of: split)["columns"]
                == .dictionary([
                    "primary": .reference(RestorationPath(["split", "a"])),
                    "secondary": .reference(RestorationPath(["split", "c"])),
                ]))
        #expect(application.output?.diagnostics == [])
        split.setViewController(nil, for: .primary)
        #expect(application.scene?.needsPass == true)
    }

    @Test func `I3: columns with equal identifiers are restored in order`() throws {
        let split = split(["page", "page"])
        let first = TestApplication(split)
        try first.launch()
        for (index, controller) in split.viewControllers.enumerated() {
            (controller as? FieldController)?.field.text = "\(index)"
        }
        first.save()
        #expect(first.output?.diagnostics == [])
        let next = self.split(["page", "page"])
        #expect(try restore(next, from: first).unrestored == [])
        #expect(
            next.viewControllers.map { ($0 as? FieldController)?.field.text } == ["0", "1"])
    }

    @Test func `R9: a recreated column replaces the column from the launch`() throws {
        let first = try saved(split(["list", "detail"]))
        let next = split(["list", "other"])
        let other = next.viewController(for: .secondary)
        let report = try restore(
            next, from: first, making: ["split/detail"], as: FieldController.self)
        #expect(report.unrestored == [])
        #expect(titles(next) == ["list", "split/detail"])
        #expect(other?.parent == nil)
        #expect(next.view.subviews.count == 2)
    }

    @Test func `P10: a controller returns to the column in which it was saved`() throws {
        let split = split(["a", "b"])
        let (a, b) = (split.viewControllers[0], split.viewControllers[1])
        split.setViewController(b, for: .primary)
        split.setViewController(a, for: .secondary)
        let first = try saved(split)
        let next = self.split(["a", "b"])
        try restore(next, from: first)
        #expect(titles(next) == ["b", "a"])
    }

    @Test func `R8: if a saved column is dropped, the column from the launch is kept`() throws {
        let first = try saved(split(["list", "detail"]))
        let next = split(["list", "other"])
        let report = try restore(next, from: first)
        #expect(report.unrestored.map(\.path) == ["split/detail", "split/detail/field"])
        #expect(titles(next) == ["list", "other"])
    }
}
