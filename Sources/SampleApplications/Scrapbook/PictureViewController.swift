import ControllerKit

/// A picture that a person moves and enlarges, and a caption to scroll. Has no state of its own: the
/// views preserve what is seen of them.
final class PictureViewController: ViewController {
    override class var storyboardRequirements: StoryboardRequirements {
        StoryboardRequirements(views: [
            RequiredView("imageView", ImageView.self), RequiredView("caption", Label.self),
        ])
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        outlet("imageView", as: ImageView.self).image = Pictures.hills
        outlet("caption", as: Label.self).text = Pictures.caption
    }
}
