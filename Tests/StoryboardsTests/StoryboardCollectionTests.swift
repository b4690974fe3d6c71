import ControllerKit
import PositionedYAML
import StateRestoration
import Storyboards
import Testing

@Suite struct StoryboardCollectionTests {
    private func yaml(_ name: String, _ controllers: String...) -> String {
        """
        storyboard: \(name)
        bundleVersion: "1"
        initial: first
        controllers:

        """ + controllers.map { "  \($0)\n" }.joined()
    }

    private func collection(
        _ yamls: String..., classes: ClassRegistry = .testing
    ) throws -> StoryboardCollection {
        try StoryboardCollection(
            yamls.enumerated().map { number, yaml in
                try StoryboardDefinition(yaml: Array(yaml.utf8), file: "\(number).yaml")
            }, classes: classes)
    }

    private let main = [
        "first: { class: ReachingController, children: [{ controller: a, storyboard: Other }] }",
        "a: { class: ViewController, title: Main }",
    ]

    private let other = [
        "first: { class: ViewController }", "a: { class: ViewController, title: Other }",
        "detail: { class: ViewController, title: Detail }",
    ]

    private func two() throws -> StoryboardCollection {
        try collection(yaml("Main", main[0], main[1]), yaml("Other", other[0], other[1], other[2]))
    }

    @Test
    func
        `a child from another storyboard is created there, even if both storyboards have its name`()
        throws
    {
        let first = try two().storyboards[0].instantiateInitialViewController()
        #expect(first.children.map(\.title) == ["Other"])
        #expect(
            first.children.first?.restoration.storyboard
                == StoryboardOrigin(name: "Other", identifier: "a"))
    }

    @Test func `code can create a controller from another storyboard`() throws {
        let first = try two().storyboards[0].instantiateInitialViewController()
        let detail = first.storyboardController("detail", storyboard: "Other")
        #expect(detail.title == "Detail")
        #expect(first.storyboardController("a").title == "Main")
    }

    @Test func `requesting a controller from a missing storyboard traps with a message`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let definition = try StoryboardDefinition(
                yaml: Array(
                    """
                    storyboard: Main
                    bundleVersion: "1"
                    initial: first
                    controllers: { first: { class: ViewController } }
                    """.utf8), file: "in.yaml")
            let storyboards = try StoryboardCollection([definition], classes: .testing)
            let first = try storyboards.storyboards[0].instantiateInitialViewController()
            _ = first.storyboardController("detail", storyboard: "Gone")
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("the application has no storyboard \"Gone\""))
    }

    @Test func `controllers reach other storyboards after the collection is released`() throws {
        let first = try two().storyboards[0].instantiateInitialViewController()
        let detail = first.storyboardController("detail", storyboard: "Other")
        #expect(first.storyboard?.storyboard(named: "Other") === detail.storyboard)
        #expect(detail.storyboard?.storyboard(named: "Main") === first.storyboard)
        #expect(detail.storyboard?.storyboard(named: "Gone") == nil)
    }

    @Test func `unused storyboards are deallocated`() throws {
        weak var gone: YAMLStoryboard?
        do {
            let storyboards = try two().storyboards
            _ = try storyboards[0].instantiateInitialViewController()
            gone = storyboards[1]
        }
        #expect(gone == nil)
    }

    @Test
    func `a storyboard is found by its name, and the error about an unknown name lists all names`()
        throws
    {
        let storyboards = try two()
        #expect(try storyboards.storyboard(named: "Other") === storyboards.storyboards[1])
        let error = #expect(throws: UnknownStoryboardError.self) {
            try storyboards.storyboard(named: "Gone")
        }
        #expect(
            error?.description
                == "the application has no storyboard \"Gone\": it has Main, Other")
    }

    @Test
    func `problems are listed in the order of the storyboards, then of the lines within each`() {
        let errors = #expect(throws: PositionedErrors.self) {
            try collection(
                yaml("Main", "first: { class: ViewController }"),
                yaml("Other", "first: { class: ViewController }", "a: { class: Gone }"),
                yaml("Third", "first: { class: Gone }", "a: { class: Gone }"))
        }
        #expect(
            errors?.errors.map { "\($0.position)" } == [
                "1.yaml:6:15", "2.yaml:5:19", "2.yaml:6:15",
            ])
    }

    @Test(arguments: [31, 32], ["a, n1", "n1, a"])
    func `every child counts toward the nesting depth of a controller`(
        depth: Int, children: String
    ) {
        let chain = (1..<depth).map { "n\($0): { class: ViewController, children: [n\($0 + 1)] }" }
        func check() throws {
            _ = try collection(
                yaml(
                    "Main", "first: { class: ViewController, children: [\(children)] }",
                    "a: { class: ViewController, children: [n\(depth)] }",
                    chain.joined(separator: "\n  "),
                    "n\(depth): { class: ViewController }"))
        }
        if depth == 31 {
            #expect(throws: Never.self) { try check() }
        } else {
            let errors = #expect(throws: PositionedErrors.self) { try check() }
            #expect(
                errors?.description.contains(
                    "controllers.first contains controllers more than 32 levels deep") == true)
        }
    }

    @Test(arguments: [99, 100])
    func `a controller can create at most 10,000 objects at once`(viewCount: Int) {
        func views(_ count: Int) -> String {
            (0..<count).map { "v\($0): {class: View}" }.joined(separator: ", ")
        }
        // Each of the 99 children is created together with 99 views.
        let children = Array(repeating: "child", count: 99).joined(separator: ", ")
        let yaml = yaml(
            "Main", "first:", "  class: ViewController", "  children: [\(children)]",
            "  views: { \(views(viewCount)) }",
            "child: { class: ViewController, views: { \(views(99)) } }")
        if viewCount == 99 {
            #expect(throws: Never.self) { try collection(yaml) }
        } else {
            let errors = #expect(throws: PositionedErrors.self) { try collection(yaml) }
            #expect(
                errors?.description.contains(
                    "controllers.first creates more than 10000 objects at once") == true)
        }
    }

    @Test func `even a huge number of created objects is reported only once`() {
        let chain = (1..<50).map { number in
            let children = Array(repeating: "n\(number + 1)", count: 3).joined(separator: ", ")
            return "n\(number): { class: ViewController, children: [\(children)] }"
        }
        let errors = #expect(throws: PositionedErrors.self) {
            try collection(
                yaml(
                    "Main", "first: { class: ViewController, children: [n1] }",
                    chain.joined(separator: "\n  "), "n50: { class: ViewController }"))
        }
        #expect(errors?.errors.count == 1)
        #expect(errors?.description.contains("creates more than 10000 objects at once") == true)
    }

    @Test func `each controller that a class requires is checked`() {
        var classes = ClassRegistry.testing
        classes.register(controller: PairingController.self)
        let missing = #expect(throws: PositionedErrors.self) {
            try collection(yaml("Main", "first: { class: PairingController }"), classes: classes)
        }
        #expect(missing?.errors.count == 2)
        let cyclic = #expect(throws: PositionedErrors.self) {
            try collection(
                yaml(
                    "Main", "first: { class: PairingController }", "a: { class: ViewController }",
                    "b: { class: ViewController, children: [first] }"), classes: classes)
        }
        #expect(cyclic?.description.contains("controllers.b contains itself") == true)
    }

    @Test func `a view that is not a control cannot perform a segue`() {
        var classes = ClassRegistry.testing
        classes.register(view: TappableView.self)
        let errors = #expect(throws: PositionedErrors.self) {
            try collection(
                yaml(
                    "Main", "first:", "  class: ViewController",
                    "  views: { v: { class: TappableView, segue: open } }",
                    "  segues: { open: { kind: show, destination: first } }"), classes: classes)
        }
        #expect(
            errors?.description.contains(
                "controllers.first.views.v has a segue, but a TappableView cannot be tapped")
                == true)
    }

    @Test func `a split view controller can have as many children as columns`() throws {
        let split = try collection(
            yaml(
                "Main", "first: { class: SplitViewController, children: [a, a, a] }",
                "a: { class: ViewController }")
        ).storyboards[0].instantiateInitialViewController()
        #expect(split.children.count == 3)
    }

    @Test func `the requirements of every controller's class are checked`() {
        let errors = #expect(throws: PositionedErrors.self) {
            try collection(
                yaml(
                    "Main", "first: { class: ViewController }", "nav: { class: ReachingController }"
                ),
                yaml(
                    "Other", "first: { class: ViewController }",
                    "detail: { class: ViewController, children: [{ controller: nav, storyboard: Main }] }"
                ))
        }
        #expect(errors?.errors.map(\.position.file) == ["0.yaml", "1.yaml"])
    }

    @Test(arguments: [1_000, 1_001])
    func `an application can have at most 1,000 controllers`(count: Int) throws {
        let names = (3...count).map { "c\($0): { class: ViewController }" }
        let stated = yaml("Main", "first: { class: ViewController }")
        let others = yaml(
            "Other", "first: { class: ViewController }", names.joined(separator: "\n  "))
        let isRefused = count > 1_000
        do {
            _ = try collection(stated, others)
            #expect(!isRefused)
        } catch let error as PositionedErrors {
            #expect(isRefused)
            #expect(error.errors.count == 1)
            #expect(
                error.description
                    == "1.yaml:1004:3: controllers.c1001 exceeds the limit of 1000 controllers "
                    + "in the application's storyboards: remove some.")
        }
    }

    @Test(arguments: [9_998, 9_999])
    func `an application can have at most 10,000 controllers and segues`(segues: Int) throws {
        let names = (0..<segues).map { "s\($0): {kind: show, destination: first}" }
            .joined(separator: ", ")
        let stated = yaml("Main", "first: { class: ViewController }")
        let others = yaml("Other", "first: { class: ViewController, segues: { \(names) } }")
        if segues > 9_998 {
            let errors = #expect(throws: PositionedErrors.self) { try collection(stated, others) }
            #expect(errors?.description.contains("limit of 10000 objects") == true)
        } else {
            _ = try collection(stated, others)
        }
    }

    @Test func `if there are too many objects, the controller limit is not mentioned`() throws {
        let views = (0..<9_001).map { "v\($0): {class: View}" }.joined(separator: ", ")
        let names = (2...999).map { "c\($0): { class: ViewController }" }
        let errors = #expect(throws: PositionedErrors.self) {
            try collection(
                yaml("Main", "first: { class: ViewController }", names.joined(separator: "\n  ")),
                yaml("Other", "first: { class: ViewController, views: { \(views) } }"))
        }
        #expect(errors?.description.contains("limit of 10000 objects") == true)
    }

    @Test(arguments: ["nan", "inf", "-infinity", "1e999"])
    func `words for non-finite numbers are read as text`(title: String) throws {
        let made = try collection(yaml("Main", "first: { class: ViewController, title: \(title) }"))
        #expect(try made.storyboards[0].instantiateInitialViewController().title == title)
    }

    @Test func `problems are listed in the order of the storyboards`() throws {
        let names = ["c", "b", "d", "a"]
        let errors = #expect(throws: PositionedErrors.self) {
            try StoryboardCollection(
                names.map { name in
                    try StoryboardDefinition(
                        yaml: Array(yaml(name, "first: { class: None }").utf8),
                        file: "\(name).yaml")
                }, classes: .testing)
        }
        #expect(
            errors?.description.split(separator: "\n").map { String($0.prefix(6)) }
                == names.map { "\($0).yaml" })
    }

    @Test(arguments: [9_998, 9_999])
    func `an application can have at most 10,000 objects`(views: Int) throws {
        let names = (0..<views).map { "v\($0): {class: View}" }.joined(separator: ", ")
        let isRefused = views > 9_998
        do {
            _ = try collection(
                yaml("Main", "first: { class: ViewController }"),
                yaml("Other", "first: { class: ViewController, views: { \(names) } }"))
            #expect(!isRefused)
        } catch let error as PositionedErrors {
            #expect(isRefused)
            #expect(
                error.description
                    == "1.yaml:5:3: controllers.first exceeds the limit of 10000 objects in the "
                    + "application's storyboards: remove some.")
        }
    }
}
