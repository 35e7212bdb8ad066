"""Django's admin with one model, as its tutorial makes it. The data is in the directory DATA."""
import os
import sys

from django.conf import settings
from django.core.management import call_command, execute_from_command_line

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATA"] + "/db.sqlite3"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["django.contrib." + app for app in ["admin", "auth", "contenttypes", "sessions", "messages", "staticfiles"]]
    + ["expenses"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    DEBUG=True,  # or it would not serve the admin's scripts
    ROOT_URLCONF=__name__,
    SECRET_KEY=os.environ["APP_PASSWORD"],
    STATIC_URL="/static/",
    TEMPLATES=[{
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request",
                                           "django.contrib.auth.context_processors.auth",
                                           "django.contrib.messages.context_processors.messages"]},
    }],
)


def __getattr__(name):  # of the module that has the addresses
    if name == "urlpatterns":
        from django.contrib import admin
        from django.urls import path
        return [path("admin/", admin.site.urls)]
    raise AttributeError(name)


if __name__ == "__main__":
    import django

    django.setup()
    if sys.argv[1] == "start":
        from django.contrib.auth.models import User

        call_command("migrate", run_syncdb=True, verbosity=0)
        User.objects.create_superuser(os.environ["APP_USER"], password=os.environ["APP_PASSWORD"])
        execute_from_command_line([sys.argv[0], "runserver", "--noreload", "127.0.0.1:8095"])
    elif sys.argv[1] == "count":
        from expenses.models import Expense

        print(Expense.objects.filter(title__contains=sys.argv[2]).count())
